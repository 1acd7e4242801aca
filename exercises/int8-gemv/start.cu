// y = (scales · weights) · x: weights is rows × columns, with one scale for every GROUP columns of a row.
// Launch: int8_gemv<<<ceil(rows / 4), 128>>>(weights, scales, x, y, rows, columns)
constexpr int GROUP = 128;

__global__ void int8_gemv(const signed char* weights, const float* scales, const float* x, float* y, int rows,
                          int columns) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;  // the whole warp
  float sum = 0;
  // TODO: add up the products of this row, 16 weights per lane and load where the row is aligned, else one.
  if (lane == 0) y[row] = sum;
}
