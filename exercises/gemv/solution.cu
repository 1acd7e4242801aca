// y = A · x: a is rows × columns, row-major. A warp computes one element of y.
// Launch: gemv<<<ceil(rows / 8), 256>>>(a, x, y, rows, columns)
__global__ void gemv(const float* a, const float* x, float* y, int rows, int columns) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;  // the whole warp
  const float* a_row = a + static_cast<long long>(row) * columns;
  float sum = 0;
  for (int column = lane; column < columns; column += 32) sum += a_row[column] * x[column];
  // All lanes are here again, whatever number of columns each had.
  for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_xor_sync(0xffffffff, sum, distance);
  if (lane == 0) y[row] = sum;
}
