// Wrong: writes only zeros.
//
// Launch: layernorm_backward<<<rows, BLOCK>>>(dy, x, gamma, dx, rows, columns, epsilon)
#define BLOCK 128

__global__ void layernorm_backward(const float* dy, const float* x, const float* gamma, float* dx, int rows,
                                   int columns, float epsilon) {
  for (int c = threadIdx.x; c < columns; c += BLOCK) dx[static_cast<long long>(blockIdx.x) * columns + c] = 0;
}
