// E[x²] − E[x]² in fp32: the difference of two large numbers that are almost equal.
// Launch: mean_variance<<<ceil(rows / WARPS), BLOCK>>>(x, mean, variance, rows, columns)
constexpr int BLOCK = 256, WARPS = BLOCK / 32;

__global__ void mean_variance(const float* x, float* mean, float* variance, int rows, int columns) {
  const int lane = threadIdx.x % 32;
  const int r = blockIdx.x * WARPS + threadIdx.x / 32;
  if (r >= rows) return;
  float sum = 0, squares = 0;
  for (int c = lane; c < columns; c += 32) {
    const float value = x[r * columns + c];
    sum += value;
    squares += value * value;
  }
  for (int distance = 16; distance > 0; distance /= 2) {
    sum += __shfl_down_sync(0xffffffff, sum, distance);
    squares += __shfl_down_sync(0xffffffff, squares, distance);
  }
  if (lane == 0) {
    const float m = sum / columns;
    mean[r] = m;
    variance[r] = squares / columns - m * m;
  }
}
