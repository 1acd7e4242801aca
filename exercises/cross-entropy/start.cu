// Cross-entropy of every row: loss[r] = logsumexp(x[r]) - x[r][labels[r]].
//
// Launch: cross_entropy<<<rows, BLOCK>>>(x, labels, loss, rows, columns)
#define BLOCK 256

__global__ void cross_entropy(const float* x, const int* labels, float* loss, int rows, int columns) {
  const float* row = x + static_cast<long long>(blockIdx.x) * columns;
  float sum = 0;
  for (int c = threadIdx.x; c < columns; c += BLOCK) sum += expf(row[c]);
  // TODO: this is the sum of one thread, and exp overflows. Reduce over the block, with the maximum subtracted.
  if (threadIdx.x == 0) loss[blockIdx.x] = logf(sum) - row[labels[blockIdx.x]];
}
