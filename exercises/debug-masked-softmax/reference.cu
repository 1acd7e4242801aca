// Launch: reference<<<ceil(rows * columns / 256), 256>>>(scores, padding, weights, rows, columns)
__global__ void reference(const float* scores, const int* padding, double* weights, int rows, int columns) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rows * columns) return;
  const int row = i / columns, first = padding[row];
  if (i % columns < first) {
    weights[i] = 0;
    return;
  }
  double max = -INFINITY, sum = 0;
  for (int c = first; c < columns; ++c) max = fmax(max, double(scores[row * columns + c]));
  for (int c = first; c < columns; ++c) sum += exp(scores[row * columns + c] - max);
  weights[i] = exp(scores[i] - max) / sum;
}
