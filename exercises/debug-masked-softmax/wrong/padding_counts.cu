// The padding has the score 0 instead of none, and takes its share of the sum.
// Softmax of every row of scores. The first padding[r] columns of row r are padding: their weight is 0, and a row that
// is all padding has no other weight either.
// A warp has one row. It reads the row twice: once for maximum and sum, by online softmax, and once to write the
// weights.
#define WARPS 4  // of a block

__device__ float warp_max(float value) {
  for (int distance = 16; distance > 0; distance /= 2)
    value = fmaxf(value, __shfl_xor_sync(0xffffffff, value, distance));
  return value;
}
__device__ float warp_sum(float value) {
  for (int distance = 16; distance > 0; distance /= 2) value += __shfl_xor_sync(0xffffffff, value, distance);
  return value;
}

// Launch: masked_softmax<<<ceil(rows / WARPS), 32 * WARPS>>>(scores, padding, weights, rows, columns)
__global__ void masked_softmax(const float* scores, const int* padding, float* weights, int rows, int columns) {
  const int row = blockIdx.x * WARPS + threadIdx.x / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  scores += static_cast<long long>(row) * columns;
  weights += static_cast<long long>(row) * columns;
  const int first = padding[row];

  // The maximum so far, and the sum of exp(score - max) so far. When max grows, the sum is rescaled.
  float max = -INFINITY, sum = 0;
  for (int c = lane; c < columns; c += 32) {
    const float score = c < first ? 0 : scores[c];
    const float larger = fmaxf(max, score);
    if (larger == -INFINITY) continue;  // nothing but padding so far: −∞ − (−∞) is NaN
    sum = sum * expf(max - larger) + expf(score - larger);
    max = larger;
  }
  const float row_max = warp_max(max);
  sum = warp_sum(max == -INFINITY ? 0 : sum * expf(max - row_max));

  for (int c = lane; c < columns; c += 32) weights[c] = c < first ? 0 : expf(scores[c] - row_max) / sum;
}
