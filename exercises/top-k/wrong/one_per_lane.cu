// Each lane keeps only its largest element: where a lane has two of the k largest, one is lost.
// Launch: top_k<<<ceil(rows / WARPS), BLOCK>>>(x, out, rows, columns, k)
constexpr int BLOCK = 128, WARPS = BLOCK / 32;

__global__ void top_k(const float* x, float* out, int rows, int columns, int k) {
  const int lane = threadIdx.x % 32;
  const int r = blockIdx.x * WARPS + threadIdx.x / 32;
  if (r >= rows) return;
  float best = -INFINITY;
  for (int c = lane; c < columns; c += 32) best = fmaxf(best, x[r * columns + c]);
  for (int round = 0; round < k; ++round) {
    float largest = best;
    for (int distance = 16; distance > 0; distance /= 2)
      largest = fmaxf(largest, __shfl_xor_sync(0xffffffff, largest, distance));
    if (lane == 0) out[r * k + round] = largest;
    const unsigned holders = __ballot_sync(0xffffffff, best == largest);
    if (lane == __ffs(holders) - 1) best = -INFINITY;
  }
}
