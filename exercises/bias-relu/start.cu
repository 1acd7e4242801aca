// C = max(0, A · B + bias), in three launches: correct, but c is written three times and read twice.
// TODO: do it in one launch that writes each element of c once and never reads it.
// Launch: matmul<<<(ceil(n / TILE), ceil(m / TILE)), (TILE, TILE)>>>(a, b, c, m, n, k)
// Launch: add_bias<<<ceil(m * n / 256), 256>>>(bias, c, m, n)
// Launch: relu<<<ceil(m * n / 256), 256>>>(c, m, n)
#define TILE 16

__global__ void matmul(const float* a, const float* b, float* c, int m, int n, int k) {
  __shared__ float a_tile[TILE][TILE];  // (row, p)
  __shared__ float b_tile[TILE][TILE];  // (p, column)
  const int x = threadIdx.x, y = threadIdx.y;
  const int row = blockIdx.y * TILE + y, column = blockIdx.x * TILE + x;
  float accumulator = 0;
  for (int first = 0; first < k; first += TILE) {
    a_tile[y][x] = row < m && first + x < k ? a[row * k + first + x] : 0.0f;
    b_tile[y][x] = first + y < k && column < n ? b[(first + y) * n + column] : 0.0f;
    __syncthreads();  // the tiles are complete
    for (int p = 0; p < TILE; ++p) accumulator += a_tile[y][p] * b_tile[p][x];
    __syncthreads();  // all threads have read them
  }
  if (row < m && column < n) c[row * n + column] = accumulator;
}

__global__ void add_bias(const float* bias, float* c, int m, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < m * n) c[i] += bias[i % n];
}

__global__ void relu(float* c, int m, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < m * n) c[i] = fmaxf(0.0f, c[i]);
}
