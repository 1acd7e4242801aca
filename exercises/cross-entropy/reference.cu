// One row per thread, in double precision.
//
// Launch: reference<<<ceil(rows / 32), 32>>>(x, labels, loss, rows, columns)

__global__ void reference(const float* x, const int* labels, double* loss, int rows, int columns) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  double max = x[r * columns], sum = 0;
  for (int c = 1; c < columns; ++c) max = fmax(max, (double)x[r * columns + c]);
  for (int c = 0; c < columns; ++c) sum += exp(x[r * columns + c] - max);
  loss[r] = max + log(sum) - x[r * columns + labels[r]];
}
