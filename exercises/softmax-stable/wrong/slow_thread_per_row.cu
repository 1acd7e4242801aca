// Slow: the results are right, but a thread has a row for itself: neighbouring lanes are a row apart.
//
// Launch: softmax<<<ceil(rows / 32), 32>>>(x, out, rows, columns)

__global__ void softmax(const float* x, float* out, int rows, int columns) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  const float* row = x + r * columns;
  float max = -INFINITY, sum = 0;
  for (int c = 0; c < columns; ++c) max = fmaxf(max, row[c]);
  for (int c = 0; c < columns; ++c) sum += expf(row[c] - max);
  for (int c = 0; c < columns; ++c) out[r * columns + c] = expf(row[c] - max) / sum;
}
