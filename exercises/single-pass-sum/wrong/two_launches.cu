// Correct and deterministic, but a second launch adds the partial sums.
// Launch: sums_of_blocks<<<min(1024, ceil(n / 2048)), BLOCK>>>(x, partials, n)
// Launch: single_pass_sum<<<1, BLOCK>>>(partials, out, n)
constexpr int BLOCK = 256;

__device__ float sum_of_block(float value) {
  __shared__ float part[BLOCK];
  part[threadIdx.x] = value;
  __syncthreads();
  for (int stride = BLOCK / 2; stride > 0; stride /= 2) {
    if (threadIdx.x < stride) part[threadIdx.x] += part[threadIdx.x + stride];
    __syncthreads();
  }
  return part[0];
}

__global__ void sums_of_blocks(const float* x, float* partials, int n) {
  float sum = 0;
  for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += gridDim.x * BLOCK) sum += x[i];
  sum = sum_of_block(sum);
  if (threadIdx.x == 0) partials[blockIdx.x] = sum;
}

__global__ void single_pass_sum(const float* partials, float* out, int n) {
  const int blocks = min(1024, (n + 2047) / 2048);
  float sum = 0;
  for (int b = threadIdx.x; b < blocks; b += BLOCK) sum += partials[b];
  sum = sum_of_block(sum);
  if (threadIdx.x == 0) out[0] = sum;
}
