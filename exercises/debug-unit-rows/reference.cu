// Launch: reference<<<ceil(rows * columns / 256), 256>>>(x, out, rows, columns)
__global__ void reference(const float* x, double* out, int rows, int columns) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rows * columns) return;
  const float* row = x + i / columns * columns;
  double squares = 0;
  for (int c = 0; c < columns; ++c) squares += double(row[c]) * row[c];
  out[i] = x[i] / fmax(sqrt(squares), 1e-12);
}
