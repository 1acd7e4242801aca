// Greedy decoding: best[r] is the column of the largest score of row r. Of equal scores the first wins.
// A block has one row. Each thread finds the best of its columns, then the lanes of a warp agree on one candidate, and
// the first warp chooses among those of all warps.
#define THREADS 256
#define WARPS (THREADS / 32)

struct Candidate {
  float score;
  int column;
};

__device__ Candidate better(Candidate a, Candidate b) {
  const bool second = b.score > a.score || (b.score == a.score && b.column < a.column);
  return second ? b : a;
}

__device__ Candidate best_of_warp(Candidate mine) {
  for (int distance = 16; distance > 0; distance /= 2) {
    Candidate other;
    other.score = __shfl_xor_sync(0xffffffff, mine.score, distance);
    other.column = __shfl_xor_sync(0xffffffff, mine.column, distance);
    mine = better(mine, other);
  }
  return mine;
}

// Launch: argmax<<<rows, THREADS>>>(scores, best, columns)
__global__ void argmax(const float* scores, int* best, int columns) {
  __shared__ Candidate of_warp[WARPS];
  const float* row = scores + static_cast<long long>(blockIdx.x) * columns;
  Candidate mine = {-INFINITY, columns};
  for (int c = threadIdx.x; c < columns; c += THREADS) mine = better(mine, {row[c], c});
  mine = best_of_warp(mine);

  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (lane == 0) of_warp[warp] = mine;
  __syncthreads();
  if (warp > 0) return;
  mine = lane < WARPS ? of_warp[lane] : Candidate{-INFINITY, columns};
  mine = best_of_warp(mine);
  if (lane == 0) best[blockIdx.x] = mine.column;
}
