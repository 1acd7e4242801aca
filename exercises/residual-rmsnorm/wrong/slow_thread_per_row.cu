// Slow: the results are right, but a thread has a row for itself: neighbouring lanes are a row apart.
//
// Launch: residual_rmsnorm<<<ceil(rows / 32), 32>>>(x, r, gamma, s, out, rows, columns, epsilon)

__global__ void residual_rmsnorm(const float* x, const float* r, const float* gamma, float* s, float* out, int rows,
                                 int columns, float epsilon) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rows) return;
  long long row = static_cast<long long>(i) * columns;
  float held[1024], squares = 0;
  for (int c = 0; c < columns; ++c) {
    held[c] = x[row + c] + r[row + c];
    s[row + c] = held[c];
    squares += held[c] * held[c];
  }
  float scale = rsqrtf(squares / columns + epsilon);
  for (int c = 0; c < columns; ++c) out[row + c] = held[c] * scale * gamma[c];
}
