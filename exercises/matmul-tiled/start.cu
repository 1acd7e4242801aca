// C = A · B with tiles in shared memory: a is m × k, b is k × n, c is m × n, all row-major.
// Launch: matmul<<<(ceil(n / TILE), ceil(m / TILE)), (TILE, TILE)>>>(a, b, c, m, n, k)
#define TILE 16

__global__ void matmul(const float* a, const float* b, float* c, int m, int n, int k) {
  __shared__ float a_tile[TILE][TILE];  // (row, p)
  __shared__ float b_tile[TILE][TILE];  // (p, column)
  const int x = threadIdx.x, y = threadIdx.y;
  const int row = blockIdx.y * TILE + y, column = blockIdx.x * TILE + x;
  float accumulator = 0;
  // TODO: for each step of TILE along k, fill both tiles and add up TILE products.
  if (row < m && column < n) c[row * n + column] = accumulator;
}
