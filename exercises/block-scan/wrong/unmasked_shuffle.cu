// The lowest lanes add their own value, which __shfl_up_sync returns where there is no lane below.
// Launch: block_scan<<<1, BLOCK>>>(x, out, n)
constexpr int BLOCK = 1024, WARPS = BLOCK / 32;

// The sum of the values of this lane and of all lanes below it.
__device__ int scan_of_lanes(int value) {
  for (int distance = 1; distance < 32; distance *= 2) {
    const int below = __shfl_up_sync(0xffffffff, value, distance);
    value += below;
  }
  return value;
}

__global__ void block_scan(const int* x, int* out, int n) {
  __shared__ int per_warp[WARPS];
  const int i = threadIdx.x, lane = i % 32, warp = i / 32;
  int sum = scan_of_lanes(i < n ? x[i] : 0);  // every lane shuffles, also past the end
  if (lane == 31) per_warp[warp] = sum;
  __syncthreads();
  if (warp == 0) per_warp[lane] = scan_of_lanes(per_warp[lane]);
  __syncthreads();
  if (warp > 0) sum += per_warp[warp - 1];
  if (i < n) out[i] = sum;
}
