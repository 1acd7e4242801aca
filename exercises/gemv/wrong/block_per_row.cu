// Correct and coalesced, but a whole block adds up a row through shared memory, with barriers.
// Launch: gemv<<<rows, 256>>>(a, x, y, rows, columns)
__global__ void gemv(const float* a, const float* x, float* y, int rows, int columns) {
  __shared__ float sums[256];
  const int row = blockIdx.x, i = threadIdx.x;
  float sum = 0;
  for (int column = i; column < columns; column += 256) sum += a[row * columns + column] * x[column];
  sums[i] = sum;
  __syncthreads();
  for (int distance = 128; distance > 0; distance /= 2) {
    if (i < distance) sums[i] += sums[i + distance];
    __syncthreads();
  }
  if (i == 0) y[row] = sums[0];
}
