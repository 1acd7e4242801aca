// Correct, but one block per matrix computes all of its tiles, one after the other: most of the GPU sits idle.
// Launch: matmul<<<(1, 1, batch), (TILE, TILE)>>>(a, b, c, m, n, k, stride_a, stride_b, stride_c)
#define TILE 16

__global__ void matmul(const float* a, const float* b, float* c, int m, int n, int k, int stride_a, int stride_b,
                       int stride_c) {
  __shared__ float a_tile[TILE][TILE], b_tile[TILE][TILE];
  a += blockIdx.z * stride_a;
  b += blockIdx.z * stride_b;
  c += blockIdx.z * stride_c;
  const int x = threadIdx.x, y = threadIdx.y;
  for (int top = 0; top < m; top += TILE)
    for (int left = 0; left < n; left += TILE) {
      const int row = top + y, column = left + x;
      float accumulator = 0;
      for (int first = 0; first < k; first += TILE) {
        a_tile[y][x] = row < m && first + x < k ? a[row * k + first + x] : 0.0f;
        b_tile[y][x] = first + y < k && column < n ? b[(first + y) * n + column] : 0.0f;
        __syncthreads();
        for (int p = 0; p < TILE; ++p) accumulator += a_tile[y][p] * b_tile[p][x];
        __syncthreads();
      }
      if (row < m && column < n) c[row * n + column] = accumulator;
    }
}
