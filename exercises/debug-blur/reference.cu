// Launch: reference<<<ceil(rows * columns / 256), 256>>>(image, out, rows, columns)
__global__ void reference(const float* image, double* out, int rows, int columns) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rows * columns) return;
  const int row = i / columns, column = i % columns;
  double sum = 0;
  for (int dy = -1; dy <= 1; ++dy)
    for (int dx = -1; dx <= 1; ++dx) {
      const int r = min(max(row + dy, 0), rows - 1), c = min(max(column + dx, 0), columns - 1);
      sum += image[r * columns + c];
    }
  out[i] = sum / 9;
}
