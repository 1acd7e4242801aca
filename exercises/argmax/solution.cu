// The column of the largest score of each row, the smallest one on ties. One block per row.
// Launch: argmax<<<rows, BLOCK>>>(x, out, rows, columns)
constexpr int BLOCK = 256, WARPS = BLOCK / 32;
constexpr int LEAST = -2147483647 - 1, NOWHERE = 2147483647;  // never win

struct Best {
  int score, column;
};

// The candidate with the larger score; on ties the one further left.
__device__ Best better(Best a, Best b) {
  return b.score > a.score || (b.score == a.score && b.column < a.column) ? b : a;
}

// The best of the 32 lanes of a warp, in lane 0.
__device__ Best best_of_lanes(Best best) {
  for (int distance = 16; distance > 0; distance /= 2) {
    const int score = __shfl_down_sync(0xffffffff, best.score, distance);
    const int column = __shfl_down_sync(0xffffffff, best.column, distance);
    best = better(best, {score, column});
  }
  return best;
}

__global__ void argmax(const int* x, int* out, int rows, int columns) {
  __shared__ Best per_warp[WARPS];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int* row = x + blockIdx.x * columns;
  Best best = {LEAST, NOWHERE};
  for (int c = threadIdx.x; c < columns; c += BLOCK) best = better(best, {row[c], c});
  best = best_of_lanes(best);
  if (lane == 0) per_warp[warp] = best;
  __syncthreads();
  if (warp == 0) {
    best = {LEAST, NOWHERE};
    if (lane < WARPS) best = per_warp[lane];
    best = best_of_lanes(best);
    if (lane == 0) out[blockIdx.x] = best.column;
  }
}
