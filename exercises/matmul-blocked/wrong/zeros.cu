// Writes zeros everywhere.
// Launch: matmul<<<(ceil(n / 16), ceil(m / 16)), (16, 16)>>>(a, b, c, m, n, k)
#include <cuda_fp16.h>

__global__ void matmul(const half* a, const half* b, float* c, int m, int n, int k) {
  const int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
  if (row < m && column < n) c[row * n + column] = 0;
}
