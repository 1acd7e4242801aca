// The blocks add their counters without atomics: additions are lost.
// Launch: histogram<<<min(32, ceil(n / BLOCK)), BLOCK>>>(keys, counts, n)
constexpr int BLOCK = 256;  // as many threads as bins

__global__ void histogram(const unsigned char* keys, int* counts, int n) {
  __shared__ int bins[BLOCK];
  bins[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += gridDim.x * BLOCK) atomicAdd(&bins[keys[i]], 1);
  __syncthreads();
  const int count = bins[threadIdx.x];
  counts[threadIdx.x] += count;
}
