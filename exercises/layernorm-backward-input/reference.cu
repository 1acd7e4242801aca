// One element per thread: a central difference of Σ dy · y over the row, in double precision. Each side computes the
// forward formula for the whole row, with this one element moved. beta is left out: it is the same on both sides.
//
// Launch: reference<<<ceil(rows * columns / 128), 128>>>(dy, x, gamma, dx, rows, columns, epsilon)

__device__ double loss(const float* dy, const float* x, const float* gamma, int columns, double epsilon, int moved,
                       double step) {
  double mean = 0, variance = 0, sum = 0;
  for (int c = 0; c < columns; ++c) mean += x[c] + (c == moved ? step : 0);
  mean /= columns;
  for (int c = 0; c < columns; ++c) {
    double distance = x[c] + (c == moved ? step : 0) - mean;
    variance += distance * distance;
    sum += dy[c] * gamma[c] * distance;
  }
  return sum / sqrt(variance / columns + epsilon);
}

__global__ void reference(const float* dy, const float* x, const float* gamma, double* dx, int rows, int columns,
                          float epsilon) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rows * columns) return;
  int first = i / columns * columns, c = i % columns;
  double h = 5e-6;
  double above = loss(dy + first, x + first, gamma, columns, epsilon, c, h);
  double below = loss(dy + first, x + first, gamma, columns, epsilon, c, -h);
  dx[i] = (above - below) / (2 * h);
}
