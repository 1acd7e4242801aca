// The last columns % 32 columns are lost.
// Launch: gemv<<<ceil(rows / 8), 256>>>(a, x, y, rows, columns)
__global__ void gemv(const float* a, const float* x, float* y, int rows, int columns) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  float sum = 0;
  for (int step = 0; step < columns / 32; ++step) sum += a[row * columns + step * 32 + lane] * x[step * 32 + lane];
  for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_xor_sync(0xffffffff, sum, distance);
  if (lane == 0) y[row] = sum;
}
