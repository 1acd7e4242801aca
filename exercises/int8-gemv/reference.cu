// Launch: reference<<<ceil(rows / 32), 32>>>(weights, scales, x, y, rows, columns)
__global__ void reference(const signed char* weights, const float* scales, const float* x, double* y, int rows,
                          int columns) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x, groups = (columns + 127) / 128;
  if (row >= rows) return;
  double sum = 0;
  for (int j = 0; j < columns; ++j)
    sum += static_cast<double>(scales[row * groups + j / 128]) * weights[row * columns + j] * x[j];
  y[row] = sum;
}
