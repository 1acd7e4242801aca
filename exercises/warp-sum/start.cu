// out[r] = the sum of row r of x (rows × columns, row-major). A block has a row.
// Launch: warp_sum<<<rows, BLOCK>>>(x, out, rows, columns)
constexpr int BLOCK = 256;

// The sum over the 32 lanes of a warp, in lane 0.
__device__ float sum_of_lanes(float value) {
  // TODO: five times __shfl_down_sync
  return value;
}

__global__ void warp_sum(const float* x, float* out, int rows, int columns) {
  __shared__ float per_warp[BLOCK / 32];
  const float* row = x + blockIdx.x * columns;
  float sum = 0;
  for (int c = threadIdx.x; c < columns; c += BLOCK) sum += row[c];
  // TODO: the sum of each warp goes to per_warp, then one warp adds what is there
  if (threadIdx.x == 0) out[blockIdx.x] = sum;
}
