// Correct, but without tensor cores: one instruction for each multiply-add of a warp.
// Launch: matmul<<<(ceil(n / TILE), ceil(m / TILE)), (TILE, TILE)>>>(a, b, c, m, n, k)
#include <cuda_fp16.h>

#define TILE 32

__global__ void matmul(const half* a, const half* b, float* c, int m, int n, int k) {
  __shared__ half a_tile[TILE][TILE], b_tile[TILE][TILE];
  const int x = threadIdx.x, y = threadIdx.y;
  const int row = blockIdx.y * TILE + y, column = blockIdx.x * TILE + x;
  float accumulator = 0;
  for (int first = 0; first < k; first += TILE) {
    a_tile[y][x] = row < m && first + x < k ? a[row * k + first + x] : half(0.0f);
    b_tile[y][x] = first + y < k && column < n ? b[(first + y) * n + column] : half(0.0f);
    __syncthreads();
    for (int p = 0; p < TILE; ++p) accumulator += __half2float(a_tile[y][p]) * __half2float(b_tile[p][x]);
    __syncthreads();
  }
  if (row < m && column < n) c[row * n + column] = accumulator;
}
