// The warps of a block add to one word of shared memory without an atomic: additions are lost.
// Launch: dot_product<<<ceil(n / 2048), BLOCK>>>(a, b, out, n)
constexpr int BLOCK = 256;

__global__ void dot_product(const float* a, const float* b, float* out, int n) {
  __shared__ float total;
  if (threadIdx.x == 0) total = 0;
  __syncthreads();
  float sum = 0;
  for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += gridDim.x * BLOCK) sum += a[i] * b[i];
  for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_down_sync(0xffffffff, sum, distance);
  if (threadIdx.x % 32 == 0) total += sum;
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(out, total);
}
