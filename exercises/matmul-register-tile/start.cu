// C = A · B with 4 × 4 results per thread: a is m × k, b is k × n, c is m × n, all row-major.
// Launch: matmul<<<(ceil(n / 64), ceil(m / 64)), 256>>>(a, b, c, m, n, k)
constexpr int SIDE = 16;       // threads along each edge of the tile
constexpr int PER_THREAD = 4;  // rows and columns of one thread
constexpr int TILE = SIDE * PER_THREAD;

__global__ void matmul(const float* a, const float* b, float* c, int m, int n, int k) {
  const int x = threadIdx.x % SIDE, y = threadIdx.x / SIDE;
  const int top = blockIdx.y * TILE, left = blockIdx.x * TILE;
  float accumulators[PER_THREAD][PER_THREAD] = {};
  // TODO: loop over k-tiles. Fill a tile of a and a tile of b, as in the exercise before; each thread loads several
  // elements. For each p, read PER_THREAD elements of each tile into registers, and add their outer product.
  // TODO: store the results that lie inside of c.
}
