// Correct, but a whole block adds up a row through shared memory, with barriers.
// Launch: int8_gemv<<<rows, 64>>>(weights, scales, x, y, rows, columns)
constexpr int GROUP = 128;

__global__ void int8_gemv(const signed char* weights, const float* scales, const float* x, float* y, int rows,
                          int columns) {
  __shared__ float sums[64];
  const int row = blockIdx.x, i = threadIdx.x, groups = (columns + GROUP - 1) / GROUP;
  const signed char* row_weights = weights + row * columns;
  float sum = 0;
  if (columns % 16 == 0) {
    for (int first = i * 16; first < columns; first += 64 * 16) {
      const int4 chunk = *reinterpret_cast<const int4*>(row_weights + first);
      const signed char* w = reinterpret_cast<const signed char*>(&chunk);
      for (int t = 0; t < 16; ++t) sum += scales[row * groups + first / GROUP] * w[t] * x[first + t];
    }
  } else {
    for (int column = i; column < columns; column += 64)
      sum += scales[row * groups + column / GROUP] * row_weights[column] * x[column];
  }
  sums[i] = sum;
  __syncthreads();
  for (int distance = 32; distance > 0; distance /= 2) {
    if (i < distance) sums[i] += sums[i + distance];
    __syncthreads();
  }
  if (i == 0) y[row] = sums[0];
}
