// Wrong: writes only zeros.
//
// Launch: layernorm<<<rows, BLOCK>>>(x, gamma, beta, out, rows, columns, epsilon)
#define BLOCK 256

__global__ void layernorm(const float* x, const float* gamma, const float* beta, float* out, int rows, int columns,
                          float epsilon) {
  for (int c = threadIdx.x; c < columns; c += BLOCK) out[blockIdx.x * columns + c] = 0;
}
