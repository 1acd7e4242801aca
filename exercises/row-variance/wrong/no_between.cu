// Adds the m2 of the lanes and forgets that their means differ.
// Launch: mean_variance<<<ceil(rows / WARPS), BLOCK>>>(x, mean, variance, rows, columns)
constexpr int BLOCK = 256, WARPS = BLOCK / 32;

// What is known of a part of a row.
struct Moments {
  float count, mean, m2;  // m2: the sum of (x − mean)²
};

__device__ Moments with(Moments part, float x) {
  part.count += 1;
  const float delta = x - part.mean;
  part.mean += delta / part.count;
  part.m2 += delta * (x - part.mean);
  return part;
}

__device__ Moments combine(Moments a, Moments b) {
  const float count = a.count + b.count;
  const float share = count > 0 ? b.count / count : 0;  // two lanes without elements
  const float delta = b.mean - a.mean;
  return {count, a.mean + delta * share, a.m2 + b.m2};
}

__global__ void mean_variance(const float* x, float* mean, float* variance, int rows, int columns) {
  const int lane = threadIdx.x % 32;
  const int r = blockIdx.x * WARPS + threadIdx.x / 32;
  if (r >= rows) return;  // the same for all lanes of the warp
  Moments part = {0, 0, 0};
  for (int c = lane; c < columns; c += 32) part = with(part, x[r * columns + c]);
  for (int distance = 16; distance > 0; distance /= 2) {
    const Moments other = {__shfl_down_sync(0xffffffff, part.count, distance),
                           __shfl_down_sync(0xffffffff, part.mean, distance),
                           __shfl_down_sync(0xffffffff, part.m2, distance)};
    part = combine(part, other);
  }
  if (lane == 0) {
    mean[r] = part.mean;
    variance[r] = part.m2 / part.count;
  }
}
