// Correct but slow: each lane reads a different row, so a request touches 32 sectors.
// Launch: mean_variance<<<ceil(rows / 64), 64>>>(x, mean, variance, rows, columns)
__global__ void mean_variance(const float* x, float* mean, float* variance, int rows, int columns) {
  const int r = blockIdx.x * 64 + threadIdx.x;
  if (r >= rows) return;
  float m = 0, m2 = 0;
  for (int c = 0; c < columns; ++c) {
    const float delta = x[r * columns + c] - m;
    m += delta / (c + 1);
    m2 += delta * (x[r * columns + c] - m);
  }
  mean[r] = m;
  variance[r] = m2 / columns;
}
