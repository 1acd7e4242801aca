// Launch: reference<<<(ceil(columns / 256), rows), 256>>>(x, gamma, beta, out, columns)
__global__ void reference(const float* x, const float* gamma, const float* beta, double* out, int columns) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  if (column >= columns) return;
  const float* row = x + blockIdx.y * columns;
  double sum = 0, squares = 0;
  for (int c = 0; c < columns; ++c) sum += row[c];
  const double mean = sum / columns;
  for (int c = 0; c < columns; ++c) squares += (row[c] - mean) * (row[c] - mean);
  out[blockIdx.y * columns + column] =
      (row[column] - mean) / sqrt(squares / columns + double(1e-5f)) * gamma[column] + beta[column];
}
