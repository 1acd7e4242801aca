// Threads outside of c leave before the barriers, and no thread loads their part of the tiles.
// Launch: matmul<<<(ceil(n / TILE), ceil(m / TILE)), (TILE, TILE)>>>(a, b, c, m, n, k)
#define TILE 16

__global__ void matmul(const float* a, const float* b, float* c, int m, int n, int k) {
  __shared__ float a_tile[TILE][TILE];  // (row, p)
  __shared__ float b_tile[TILE][TILE];  // (p, column)
  const int x = threadIdx.x, y = threadIdx.y;
  const int row = blockIdx.y * TILE + y, column = blockIdx.x * TILE + x;
  if (row >= m || column >= n) return;
  float accumulator = 0;
  for (int first = 0; first < k; first += TILE) {
    a_tile[y][x] = row < m && first + x < k ? a[row * k + first + x] : 0.0f;
    b_tile[y][x] = first + y < k && column < n ? b[(first + y) * n + column] : 0.0f;
    __syncthreads();  // the tiles are complete
    for (int p = 0; p < TILE; ++p) accumulator += a_tile[y][p] * b_tile[p][x];
    __syncthreads();  // all threads have read them
  }
  c[row * n + column] = accumulator;
}
