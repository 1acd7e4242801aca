// One row per thread, in double precision: with an element per thread, each one would sum the whole row again.
//
// Launch: reference<<<ceil(rows / 32), 32>>>(x, r, gamma, s, out, rows, columns, epsilon)

__global__ void reference(const float* x, const float* r, const float* gamma, double* s, double* out, int rows,
                          int columns, float epsilon) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rows) return;
  double squares = 0;
  for (int c = 0; c < columns; ++c) {
    double sum = (double)x[i * columns + c] + r[i * columns + c];
    s[i * columns + c] = sum;
    squares += sum * sum;
  }
  double root = sqrt(squares / columns + epsilon);
  for (int c = 0; c < columns; ++c) out[i * columns + c] = s[i * columns + c] / root * gamma[c];
}
