// Correct but slow: each lane reads a different row, so a request touches 32 sectors.
// Launch: row_sum<<<ceil(rows / 64), 64>>>(x, out, rows, columns)
__global__ void row_sum(const float* x, float* out, int rows, int columns) {
  const int r = blockIdx.x * 64 + threadIdx.x;
  if (r >= rows) return;
  float sum = 0;
  for (int c = 0; c < columns; ++c) sum += x[r * columns + c];
  out[r] = sum;
}
