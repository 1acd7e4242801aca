// Correct, but one weight per lane and load.
// Launch: int8_gemv<<<ceil(rows / 4), 128>>>(weights, scales, x, y, rows, columns)
constexpr int GROUP = 128;

__global__ void int8_gemv(const signed char* weights, const float* scales, const float* x, float* y, int rows,
                          int columns) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;  // the whole warp
  const signed char* row_weights = weights + static_cast<long long>(row) * columns;
  const float* row_scales = scales + row * ((columns + GROUP - 1) / GROUP);
  float sum = 0;
  for (int column = lane; column < columns; column += 32)
    sum += row_scales[column / GROUP] * (row_weights[column] * x[column]);
  for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_xor_sync(0xffffffff, sum, distance);
  if (lane == 0) y[row] = sum;
}
