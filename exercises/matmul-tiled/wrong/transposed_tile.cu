// Correct, but the tile of b is stored transposed, so that the lanes of a warp meet in two banks.
// Launch: matmul<<<(ceil(n / TILE), ceil(m / TILE)), (TILE, TILE)>>>(a, b, c, m, n, k)
#define TILE 16

__global__ void matmul(const float* a, const float* b, float* c, int m, int n, int k) {
  __shared__ float a_tile[TILE][TILE];  // (row, p)
  __shared__ float b_tile[TILE][TILE];  // (column, p)
  const int x = threadIdx.x, y = threadIdx.y;
  const int row = blockIdx.y * TILE + y, column = blockIdx.x * TILE + x;
  float accumulator = 0;
  for (int first = 0; first < k; first += TILE) {
    a_tile[y][x] = row < m && first + x < k ? a[row * k + first + x] : 0.0f;
    b_tile[x][y] = first + y < k && column < n ? b[(first + y) * n + column] : 0.0f;
    __syncthreads();  // the tiles are complete
    for (int p = 0; p < TILE; ++p) accumulator += a_tile[y][p] * b_tile[x][p];
    __syncthreads();  // all threads have read them
  }
  if (row < m && column < n) c[row * n + column] = accumulator;
}
