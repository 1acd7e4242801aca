// Writes only zeros.
// Running sums along every row: out[r][c] = x[r][0] + … + x[r][c]. A block has one row of at most THREADS columns.
// After the step with distance d, the sum of column c covers the 2 · d elements that end at c, or all from the first
// one.
#define THREADS 256

// Launch: running_sum<<<rows, THREADS>>>(x, out, columns)
__global__ void running_sum(const float* x, float* out, int columns) {
  __shared__ float sums[THREADS];
  const int c = threadIdx.x;
  const long long row = static_cast<long long>(blockIdx.x) * columns;
  sums[c] = c < columns ? x[row + c] : 0;
  __syncthreads();
  for (int distance = 1; distance < columns; distance *= 2) {
    const float before = c >= distance ? sums[c - distance] : 0;
    __syncthreads();  // every sum is read before one is overwritten
    sums[c] += before;
    __syncthreads();
  }
  if (c < columns) out[row + c] = 0;
}
