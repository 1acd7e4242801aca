// No fences: nothing orders the partial sums and the tickets.
// Launch: single_pass_sum<<<min(1024, ceil(n / 2048)), BLOCK>>>(x, out, partials, arrived, n)
constexpr int BLOCK = 256, WARPS = BLOCK / 32;

// The sum over the 32 lanes of a warp, in lane 0.
__device__ float sum_of_lanes(float value) {
  for (int distance = 16; distance > 0; distance /= 2) value += __shfl_down_sync(0xffffffff, value, distance);
  return value;
}

// The sum over all threads of the block, in thread 0. `per_warp` must not be in use.
__device__ float sum_of_block(float value, float* per_warp) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  value = sum_of_lanes(value);
  if (lane == 0) per_warp[warp] = value;
  __syncthreads();
  return warp == 0 ? sum_of_lanes(lane < WARPS ? per_warp[lane] : 0) : 0;
}

__global__ void single_pass_sum(const float* x, float* out, float* partials, unsigned* arrived, int n) {
  __shared__ float per_warp[WARPS];
  __shared__ bool is_last;
  float sum = 0;
  for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += gridDim.x * BLOCK) sum += x[i];
  sum = sum_of_block(sum, per_warp);
  if (threadIdx.x == 0) {
    partials[blockIdx.x] = sum;
    is_last = atomicAdd(arrived, 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (!is_last) return;
  float total = 0;
  for (int b = threadIdx.x; b < gridDim.x; b += BLOCK) total += partials[b];
  total = sum_of_block(total, per_warp);
  if (threadIdx.x == 0) out[0] = total;
}
