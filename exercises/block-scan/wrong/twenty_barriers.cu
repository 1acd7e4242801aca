// Correct but slow: ten steps in shared memory, with two barriers each.
// Launch: block_scan<<<1, BLOCK>>>(x, out, n)
constexpr int BLOCK = 1024;

__global__ void block_scan(const int* x, int* out, int n) {
  __shared__ int sums[BLOCK];
  const int i = threadIdx.x;
  sums[i] = i < n ? x[i] : 0;
  for (int distance = 1; distance < BLOCK; distance *= 2) {
    __syncthreads();
    const int left = i >= distance ? sums[i - distance] : 0;
    __syncthreads();
    sums[i] += left;
  }
  if (i < n) out[i] = sums[i];
}
