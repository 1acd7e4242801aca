// Correct but slow: a whole tree, with all its barriers, for every 256 elements.
// Launch: argmax<<<rows, BLOCK>>>(x, out, rows, columns)
constexpr int BLOCK = 256;

__global__ void argmax(const int* x, int* out, int rows, int columns) {
  __shared__ int scores[BLOCK], places[BLOCK];
  const int t = threadIdx.x;
  int best = -2147483647 - 1, column = 0;
  for (int start = 0; start < columns; start += BLOCK) {
    scores[t] = start + t < columns ? x[blockIdx.x * columns + start + t] : -2147483647 - 1;
    places[t] = start + t;
    __syncthreads();
    for (int stride = BLOCK / 2; stride > 0; stride /= 2) {
      if (t < stride) {
        const int score = scores[t + stride], place = places[t + stride];
        if (score > scores[t] || (score == scores[t] && place < places[t])) scores[t] = score, places[t] = place;
      }
      __syncthreads();
    }
    if (scores[0] > best) best = scores[0], column = places[0];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = column;
}
