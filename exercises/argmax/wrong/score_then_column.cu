// The score is replaced by an atomic and the column by a store of its own: the two need not belong together.
// Launch: argmax<<<rows, BLOCK>>>(x, out, rows, columns)
constexpr int BLOCK = 256;

__global__ void argmax(const int* x, int* out, int rows, int columns) {
  __shared__ int score, column;
  const int* row = x + blockIdx.x * columns;
  if (threadIdx.x == 0) score = -2147483647 - 1, column = 0;
  __syncthreads();
  int best = -2147483647 - 1, place = 0;
  for (int c = threadIdx.x; c < columns; c += BLOCK)
    if (row[c] > best) best = row[c], place = c;
  if (atomicMax(&score, best) < best) column = place;
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = column;
}
