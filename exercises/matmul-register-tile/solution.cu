// C = A · B with 4 × 4 results per thread: a is m × k, b is k × n, c is m × n, all row-major.
// 256 threads, as 16 rows and 16 columns, compute a tile of 64 × 64. The rows of a thread are 16 apart, and so are its
// columns: the lanes of a warp always access neighbouring columns.
// Launch: matmul<<<(ceil(n / 64), ceil(m / 64)), 256>>>(a, b, c, m, n, k)
constexpr int SIDE = 16;       // threads along each edge of the tile
constexpr int PER_THREAD = 4;  // rows and columns of one thread
constexpr int TILE = SIDE * PER_THREAD;
constexpr int DEPTH = 16;  // extent of a k-tile along k
constexpr int THREADS = SIDE * SIDE;

__global__ void __launch_bounds__(THREADS) matmul(const float* a, const float* b, float* c, int m, int n, int k) {
  __shared__ float a_tile[TILE][DEPTH];  // (row, p)
  __shared__ float b_tile[DEPTH][TILE];  // (p, column)
  const int x = threadIdx.x % SIDE, y = threadIdx.x / SIDE;
  const int top = blockIdx.y * TILE, left = blockIdx.x * TILE;
  float accumulators[PER_THREAD][PER_THREAD] = {};
  for (int first = 0; first < k; first += DEPTH) {
    for (int i = threadIdx.x; i < TILE * DEPTH; i += THREADS) {
      const int row = top + i / DEPTH, p = first + i % DEPTH;
      a_tile[i / DEPTH][i % DEPTH] = row < m && p < k ? a[row * k + p] : 0.0f;
    }
    for (int i = threadIdx.x; i < DEPTH * TILE; i += THREADS) {
      const int p = first + i / TILE, column = left + i % TILE;
      b_tile[i / TILE][i % TILE] = p < k && column < n ? b[p * n + column] : 0.0f;
    }
    __syncthreads();  // the tiles are complete
    for (int p = 0; p < DEPTH; ++p) {
      float a_frag[PER_THREAD], b_frag[PER_THREAD];
#pragma unroll
      for (int i = 0; i < PER_THREAD; ++i) {
        a_frag[i] = a_tile[y + i * SIDE][p];
        b_frag[i] = b_tile[p][x + i * SIDE];
      }
#pragma unroll
      for (int i = 0; i < PER_THREAD; ++i)
#pragma unroll
        for (int j = 0; j < PER_THREAD; ++j) accumulators[i][j] += a_frag[i] * b_frag[j];
    }
    __syncthreads();  // all threads have read them
  }
#pragma unroll
  for (int i = 0; i < PER_THREAD; ++i)
#pragma unroll
    for (int j = 0; j < PER_THREAD; ++j) {
      const int row = top + y + i * SIDE, column = left + x + j * SIDE;
      if (row < m && column < n) c[row * n + column] = accumulators[i][j];
    }
}
