// Correct, but one thread per row: a warp reads a column of a.
// Launch: gemv<<<ceil(rows / 64), 64>>>(a, x, y, rows, columns)
__global__ void gemv(const float* a, const float* x, float* y, int rows, int columns) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0;
  for (int column = 0; column < columns; ++column) sum += a[row * columns + column] * x[column];
  y[row] = sum;
}
