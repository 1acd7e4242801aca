// y = A · x: a is rows × columns, row-major.
// Launch: gemv<<<ceil(rows / 8), 256>>>(a, x, y, rows, columns)
__global__ void gemv(const float* a, const float* x, float* y, int rows, int columns) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;  // the whole warp
  float sum = 0;
  // TODO: add up the products of this lane's columns, then the sums of all lanes of the warp.
  if (lane == 0) y[row] = sum;
}
