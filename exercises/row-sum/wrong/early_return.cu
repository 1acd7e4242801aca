// Lanes without an element leave before the shuffles that name them.
// Launch: row_sum<<<ceil(rows / WARPS), BLOCK>>>(x, out, rows, columns)
constexpr int BLOCK = 256, WARPS = BLOCK / 32;

__global__ void row_sum(const float* x, float* out, int rows, int columns) {
  const int lane = threadIdx.x % 32;
  const int r = blockIdx.x * WARPS + threadIdx.x / 32;
  if (r >= rows || lane >= columns) return;
  float sum = 0;
  for (int c = lane; c < columns; c += 32) sum += x[r * columns + c];
  for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_down_sync(0xffffffff, sum, distance);
  if (lane == 0) out[r] = sum;
}
