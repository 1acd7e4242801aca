// Wrong: writes only zeros.
//
// Launch: residual_rmsnorm<<<rows, BLOCK>>>(x, r, gamma, s, out, rows, columns, epsilon)
#define BLOCK 256

__global__ void residual_rmsnorm(const float* x, const float* r, const float* gamma, float* s, float* out, int rows,
                                 int columns, float epsilon) {
  for (int c = threadIdx.x; c < columns; c += BLOCK) {
    s[blockIdx.x * columns + c] = 0;
    out[blockIdx.x * columns + c] = 0;
  }
}
