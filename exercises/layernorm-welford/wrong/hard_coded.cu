// Wrong: divides by 1008 or 512, the numbers of columns of the public cases.
//
// Launch: layernorm<<<rows, BLOCK>>>(x, gamma, beta, out, rows, columns, epsilon)
#define BLOCK 256

// What is known of the elements seen so far: how many, their mean, and the sum of (x - mean)².
struct Moments {
  float count, mean, squares;
};

// Only distances are squared, so nothing large cancels. With b of one element this is Welford's step.
__device__ Moments merge(Moments a, Moments b) {
  float count = a.count + b.count;
  if (count == 0) return a;
  float distance = b.mean - a.mean, share = b.count / count;
  return {count, a.mean + distance * share, a.squares + b.squares + distance * distance * a.count * share};
}

__device__ Moments merge_lanes(Moments mine) {
  for (int distance = 16; distance > 0; distance /= 2) {
    Moments other;
    other.count = __shfl_xor_sync(0xffffffff, mine.count, distance);
    other.mean = __shfl_xor_sync(0xffffffff, mine.mean, distance);
    other.squares = __shfl_xor_sync(0xffffffff, mine.squares, distance);
    mine = merge(mine, other);
  }
  return mine;
}

// Each warp by itself, then every warp over the results of all. One barrier, and every thread gets the result.
__device__ Moments merge_block(Moments mine) {
  __shared__ Moments per_warp[32];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  mine = merge_lanes(mine);
  if (lane == 0) per_warp[warp] = mine;
  __syncthreads();
  return merge_lanes(lane < BLOCK / 32 ? per_warp[lane] : Moments{0, 0, 0});
}

__global__ void layernorm(const float* x, const float* gamma, const float* beta, float* out, int rows, int columns,
                          float epsilon) {
  const float* row = x + static_cast<long long>(blockIdx.x) * columns;
  float* to = out + static_cast<long long>(blockIdx.x) * columns;

  Moments moments = {0, 0, 0};
  for (int c = threadIdx.x; c < columns; c += BLOCK) moments = merge(moments, {1, row[c], 0});
  moments = merge_block(moments);

  float scale = rsqrtf(moments.squares / (columns > 512 ? 1008 : 512) + epsilon);
  for (int c = threadIdx.x; c < columns; c += BLOCK) to[c] = (row[c] - moments.mean) * scale * gamma[c] + beta[c];
}
