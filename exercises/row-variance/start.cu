// mean[r] and variance[r] of row r of x (rows × columns, row-major). A warp has a row.
// Launch: mean_variance<<<ceil(rows / WARPS), BLOCK>>>(x, mean, variance, rows, columns)
constexpr int BLOCK = 256, WARPS = BLOCK / 32;

__global__ void mean_variance(const float* x, float* mean, float* variance, int rows, int columns) {
  const int lane = threadIdx.x % 32;
  const int r = blockIdx.x * WARPS + threadIdx.x / 32;
  if (r >= rows) return;  // the same for all lanes of the warp
  // TODO: what does a lane have to remember of the elements that it has seen?
  // TODO: combine the lanes
  if (lane == 0) {
    mean[r] = 0;
    variance[r] = 0;
  }
}
