// Correct but slow: each lane reads a different row, so a request touches 32 sectors.
// Launch: argmax<<<ceil(rows / 64), 64>>>(x, out, rows, columns)
__global__ void argmax(const int* x, int* out, int rows, int columns) {
  const int r = blockIdx.x * 64 + threadIdx.x;
  if (r >= rows) return;
  int best = x[r * columns], column = 0;
  for (int c = 1; c < columns; ++c) {
    const int score = x[r * columns + c];
    if (score > best) best = score, column = c;
  }
  out[r] = column;
}
