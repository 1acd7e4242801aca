// Slow: the results are right, but a thread has a row, so that the lanes of a warp are a row apart.
//
// Launch: layernorm_backward<<<rows, 32>>>(dy, x, gamma, dx, rows, columns, epsilon)

__global__ void layernorm_backward(const float* dy, const float* x, const float* gamma, float* dx, int rows,
                                   int columns, float epsilon) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  const float *row = x + static_cast<long long>(r) * columns, *gradient = dy + static_cast<long long>(r) * columns;
  float mean = 0, squares = 0, mean_g = 0, mean_gn = 0;
  for (int c = 0; c < columns; ++c) mean += row[c] / columns;
  for (int c = 0; c < columns; ++c) squares += (row[c] - mean) * (row[c] - mean);
  float rstd = rsqrtf(squares / columns + epsilon);
  for (int c = 0; c < columns; ++c) {
    mean_g += gradient[c] * gamma[c] / columns;
    mean_gn += gradient[c] * gamma[c] * (row[c] - mean) * rstd / columns;
  }
  for (int c = 0; c < columns; ++c)
    dx[static_cast<long long>(r) * columns + c] =
        rstd * (gradient[c] * gamma[c] - mean_g - (row[c] - mean) * rstd * mean_gn);
}
