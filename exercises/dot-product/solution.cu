// Dot product: products are added in registers, then within the warp, then within the block. One atomic per block.
// Launch: dot_product<<<ceil(n / 2048), BLOCK>>>(a, b, out, n)
constexpr int BLOCK = 256, WARPS = BLOCK / 32;

// The sum over the 32 lanes of a warp, in lane 0.
__device__ float sum_of_lanes(float value) {
  for (int distance = 16; distance > 0; distance /= 2) value += __shfl_down_sync(0xffffffff, value, distance);
  return value;
}

__global__ void dot_product(const float* a, const float* b, float* out, int n) {
  __shared__ float per_warp[WARPS];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float sum = 0;
  for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += gridDim.x * BLOCK) sum += a[i] * b[i];
  sum = sum_of_lanes(sum);
  if (lane == 0) per_warp[warp] = sum;
  __syncthreads();
  if (warp == 0) {
    sum = sum_of_lanes(lane < WARPS ? per_warp[lane] : 0);
    if (lane == 0) atomicAdd(out, sum);
  }
}
