// Correct but slow: each lane reads a different row, so a request touches 32 sectors.
// Launch: top_k<<<ceil(rows / 32), 32>>>(x, out, rows, columns, k)
__global__ void top_k(const float* x, float* out, int rows, int columns, int k) {
  const int r = blockIdx.x * 32 + threadIdx.x;
  if (r >= rows) return;
  float best[8];
#pragma unroll
  for (int j = 0; j < 8; ++j) best[j] = -INFINITY;
  for (int c = 0; c < columns; ++c) {
    float value = x[r * columns + c];
#pragma unroll
    for (int j = 0; j < 8; ++j) {
      const float smaller = fminf(value, best[j]);
      best[j] = fmaxf(value, best[j]);
      value = smaller;
    }
  }
#pragma unroll
  for (int j = 0; j < 8; ++j)
    if (j < k) out[r * k + j] = best[j];
}
