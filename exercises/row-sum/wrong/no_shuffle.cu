// The lanes add to out[r] without a shuffle and without an atomic: additions are lost.
// Launch: row_sum<<<ceil(rows / WARPS), BLOCK>>>(x, out, rows, columns)
constexpr int BLOCK = 256, WARPS = BLOCK / 32;

__global__ void row_sum(const float* x, float* out, int rows, int columns) {
  const int lane = threadIdx.x % 32;
  const int r = blockIdx.x * WARPS + threadIdx.x / 32;
  if (r >= rows) return;  // the same for all lanes of the warp
  float sum = 0;
  for (int c = lane; c < columns; c += 32) sum += x[r * columns + c];
  if (lane == 0) out[r] = 0;
  __syncwarp();
  out[r] += sum;
}
