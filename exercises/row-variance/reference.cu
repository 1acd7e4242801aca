// Launch: reference<<<ceil(rows / 32), 32>>>(x, mean, variance, rows, columns)
__global__ void reference(const float* x, double* mean, double* variance, int rows, int columns) {
  const int r = blockIdx.x * 32 + threadIdx.x;
  if (r >= rows) return;
  double sum = 0, squares = 0;
  for (int c = 0; c < columns; ++c) sum += x[r * columns + c];
  const double m = sum / columns;
  for (int c = 0; c < columns; ++c) squares += (x[r * columns + c] - m) * (x[r * columns + c] - m);
  mean[r] = m;
  variance[r] = squares / columns;
}
