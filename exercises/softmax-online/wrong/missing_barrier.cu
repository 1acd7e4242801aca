// Wrong: no barrier between the warps that write their results and those that read them, some before they are written.
//
// Launch: softmax<<<rows, BLOCK>>>(x, out, rows, columns)
#include <cfloat>

#define BLOCK 256

// What is known of the elements seen so far: their maximum, and the sum of exp(x - max).
struct Running {
  float max, sum;
};

// A finite start: -∞ - (-∞) would be NaN where two threads merge that have seen nothing.
__device__ Running nothing_yet() { return {-FLT_MAX, 0}; }

__device__ Running merge(Running a, Running b) {
  float max = fmaxf(a.max, b.max);
  return {max, a.sum * expf(a.max - max) + b.sum * expf(b.max - max)};
}

__device__ Running merge_lanes(Running mine) {
  for (int distance = 16; distance > 0; distance /= 2) {
    float max = __shfl_xor_sync(0xffffffff, mine.max, distance);
    float sum = __shfl_xor_sync(0xffffffff, mine.sum, distance);
    mine = merge(mine, {max, sum});
  }
  return mine;
}

// Each warp by itself, then every warp over the results of all: one barrier, and every thread gets the result.
__device__ Running merge_block(Running mine) {
  __shared__ Running per_warp[32];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  mine = merge_lanes(mine);
  if (lane == 0) per_warp[warp] = mine;
  return merge_lanes(lane < BLOCK / 32 ? per_warp[lane] : nothing_yet());
}

__global__ void softmax(const float* x, float* out, int rows, int columns) {
  const float* row = x + static_cast<long long>(blockIdx.x) * columns;
  float* to = out + static_cast<long long>(blockIdx.x) * columns;

  Running running = nothing_yet();
  for (int c = threadIdx.x; c < columns; c += BLOCK) running = merge(running, {row[c], 1});  // one element: exp(0) = 1
  running = merge_block(running);

  float scale = 1 / running.sum;
  for (int c = threadIdx.x; c < columns; c += BLOCK) to[c] = expf(row[c] - running.max) * scale;
}
