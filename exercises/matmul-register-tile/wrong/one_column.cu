// Correct, but 4 × 1 results per thread: 5 loads for 4 multiply-adds.
// Launch: matmul<<<(ceil(n / 64), ceil(m / 16)), (64, 4)>>>(a, b, c, m, n, k)
constexpr int DEPTH = 16, WIDTH = 64, HEIGHT = 16;

__global__ void matmul(const float* a, const float* b, float* c, int m, int n, int k) {
  __shared__ float a_tile[HEIGHT][DEPTH], b_tile[DEPTH][WIDTH];
  const int x = threadIdx.x, y = threadIdx.y, top = blockIdx.y * HEIGHT, left = blockIdx.x * WIDTH;
  float accumulators[4] = {};
  for (int first = 0; first < k; first += DEPTH) {
    const int i = y * WIDTH + x, p = first + i % DEPTH;
    a_tile[i / DEPTH][i % DEPTH] = top + i / DEPTH < m && p < k ? a[(top + i / DEPTH) * k + p] : 0.0f;
    for (int j = y; j < DEPTH; j += 4)
      b_tile[j][x] = first + j < k && left + x < n ? b[(first + j) * n + left + x] : 0.0f;
    __syncthreads();
    for (int q = 0; q < DEPTH; ++q)
      for (int t = 0; t < 4; ++t) accumulators[t] += a_tile[y * 4 + t][q] * b_tile[q][x];
    __syncthreads();
  }
  for (int t = 0; t < 4; ++t)
    if (top + y * 4 + t < m && left + x < n) c[(top + y * 4 + t) * n + left + x] = accumulators[t];
}
