// Launch: reference<<<ceil(rows / 32), 32>>>(a, x, y, rows, columns)
__global__ void reference(const float* a, const float* x, double* y, int rows, int columns) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  double sum = 0;
  for (int j = 0; j < columns; ++j) sum += static_cast<double>(a[static_cast<long long>(row) * columns + j]) * x[j];
  y[row] = sum;
}
