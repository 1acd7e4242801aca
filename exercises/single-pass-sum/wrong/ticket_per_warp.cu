// Correct but slow: every warp stores a partial sum and takes a ticket.
// Launch: single_pass_sum<<<min(128, ceil(n / 512)), BLOCK>>>(x, out, partials, arrived, n)
constexpr int BLOCK = 256, WARPS = BLOCK / 32;

__global__ void single_pass_sum(const float* x, float* out, float* partials, unsigned* arrived, int n) {
  const int lane = threadIdx.x % 32, warps = gridDim.x * WARPS;
  float sum = 0;
  for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += gridDim.x * BLOCK) sum += x[i];
  for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_down_sync(0xffffffff, sum, distance);
  int is_last = 0;
  if (lane == 0) {
    partials[blockIdx.x * WARPS + threadIdx.x / 32] = sum;
    __threadfence();
    is_last = atomicAdd(arrived, 1) == warps - 1;
    __threadfence();
  }
  if (!__shfl_sync(0xffffffff, is_last, 0)) return;
  float total = 0;
  for (int w = lane; w < warps; w += 32) total += *static_cast<volatile float*>(partials + w);
  for (int distance = 16; distance > 0; distance /= 2) total += __shfl_down_sync(0xffffffff, total, distance);
  if (lane == 0) out[0] = total;
}
