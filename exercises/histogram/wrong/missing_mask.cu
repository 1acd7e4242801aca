// Every thread takes 8 keys, without a test whether they exist.
// Launch: histogram<<<min(32, ceil(n / BLOCK)), BLOCK>>>(keys, counts, n)
constexpr int BLOCK = 256;  // as many threads as bins

__global__ void histogram(const unsigned char* keys, int* counts, int n) {
  __shared__ int bins[BLOCK];
  bins[threadIdx.x] = 0;
  __syncthreads();
  for (int k = 0; k < 8; ++k) atomicAdd(&bins[keys[(k * gridDim.x + blockIdx.x) * BLOCK + threadIdx.x]], 1);
  __syncthreads();
  const int count = bins[threadIdx.x];
  if (count > 0) atomicAdd(&counts[threadIdx.x], count);
}
