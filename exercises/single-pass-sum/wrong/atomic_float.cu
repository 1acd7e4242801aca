// The blocks add to out[0], which holds garbage when the kernel starts; and the order of the additions would vary.
// Launch: single_pass_sum<<<min(1024, ceil(n / 2048)), BLOCK>>>(x, out, partials, arrived, n)
constexpr int BLOCK = 256;

__global__ void single_pass_sum(const float* x, float* out, float* partials, unsigned* arrived, int n) {
  __shared__ float part[BLOCK];
  float sum = 0;
  for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += gridDim.x * BLOCK) sum += x[i];
  part[threadIdx.x] = sum;
  __syncthreads();
  for (int stride = BLOCK / 2; stride > 0; stride /= 2) {
    if (threadIdx.x < stride) part[threadIdx.x] += part[threadIdx.x + stride];
    __syncthreads();
  }
  if (threadIdx.x == 0) atomicAdd(out, part[0]);
}
