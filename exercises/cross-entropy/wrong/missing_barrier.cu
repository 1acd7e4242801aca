// Wrong: one array for both reductions, and no barrier between them: the sums overwrite maxima that are still read.
//
// Launch: cross_entropy<<<rows, BLOCK>>>(x, labels, loss, rows, columns)
#define BLOCK 256

struct Add {
  static __device__ float nothing() { return 0; }
  __device__ float operator()(float x, float y) const { return x + y; }
};
struct Max {
  static __device__ float nothing() { return -INFINITY; }
  __device__ float operator()(float x, float y) const { return fmaxf(x, y); }
};

template <class Op>
__device__ float reduce_lanes(float mine) {
  for (int distance = 16; distance > 0; distance /= 2)
    mine = Op()(mine, __shfl_xor_sync(0xffffffff, mine, distance));
  return mine;
}
// Each warp by itself, then every warp over the results of all: one barrier, and every thread gets the result.
template <class Op>
__device__ float reduce_block(float mine, float* per_warp) {
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  mine = reduce_lanes<Op>(mine);
  if (lane == 0) per_warp[warp] = mine;
  __syncthreads();
  return reduce_lanes<Op>(lane < BLOCK / 32 ? per_warp[lane] : Op::nothing());
}

__global__ void cross_entropy(const float* x, const int* labels, float* loss, int rows, int columns) {
  __shared__ float per_warp[32];
  const float* row = x + static_cast<long long>(blockIdx.x) * columns;

  float max = Max::nothing();
  for (int c = threadIdx.x; c < columns; c += BLOCK) max = fmaxf(max, row[c]);
  max = reduce_block<Max>(max, per_warp);

  float sum = 0;
  for (int c = threadIdx.x; c < columns; c += BLOCK) sum += expf(row[c] - max);
  sum = reduce_block<Add>(sum, per_warp);

  // The difference from the maximum is small, so that log(sum) is not rounded to the size of the logits.
  if (threadIdx.x == 0) loss[blockIdx.x] = logf(sum) - (row[labels[blockIdx.x]] - max);
}
