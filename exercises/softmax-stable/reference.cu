// One row per thread, in double precision: with an element per thread, each one would sum the whole row again.
//
// Launch: reference<<<ceil(rows / 32), 32>>>(x, out, rows, columns)

__global__ void reference(const float* x, double* out, int rows, int columns) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  double max = x[r * columns];
  for (int c = 1; c < columns; ++c) max = fmax(max, (double)x[r * columns + c]);
  double sum = 0;
  for (int c = 0; c < columns; ++c) {
    double power = exp(x[r * columns + c] - max);
    out[r * columns + c] = power;
    sum += power;
  }
  for (int c = 0; c < columns; ++c) out[r * columns + c] /= sum;
}
