// Counts without atomics: two threads with the same key count once.
// Launch: histogram<<<min(32, ceil(n / BLOCK)), BLOCK>>>(keys, counts, n)
constexpr int BLOCK = 256;  // as many threads as bins

__global__ void histogram(const unsigned char* keys, int* counts, int n) {
  __shared__ int bins[BLOCK];
  bins[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += gridDim.x * BLOCK) ++bins[keys[i]];
  __syncthreads();
  const int count = bins[threadIdx.x];
  if (count > 0) atomicAdd(&counts[threadIdx.x], count);
}
