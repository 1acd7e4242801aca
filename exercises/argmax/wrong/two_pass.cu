// Correct but slow: finds the largest score, then reads the row again to see where it stands.
// Launch: argmax<<<rows, BLOCK>>>(x, out, rows, columns)
constexpr int BLOCK = 256;

__global__ void argmax(const int* x, int* out, int rows, int columns) {
  __shared__ int largest, leftmost;
  const int* row = x + blockIdx.x * columns;
  if (threadIdx.x == 0) largest = -2147483647 - 1, leftmost = columns;
  __syncthreads();
  int best = -2147483647 - 1;
  for (int c = threadIdx.x; c < columns; c += BLOCK) best = max(best, row[c]);
  atomicMax(&largest, best);
  __syncthreads();
  for (int c = threadIdx.x; c < columns; c += BLOCK)
    if (row[c] == largest) atomicMin(&leftmost, c);
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = leftmost;
}
