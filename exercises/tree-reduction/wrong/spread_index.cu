// Correct, and whole warps drop out, but the lanes are 2 · stride words apart: bank conflicts.
// Launch: tree_sum<<<1, BLOCK>>>(x, out, n)
constexpr int BLOCK = 256;

__global__ void tree_sum(const float* x, float* out, int n) {
  __shared__ float part[BLOCK];
  float sum = 0;
  for (int i = threadIdx.x; i < n; i += BLOCK) sum += x[i];
  part[threadIdx.x] = sum;
  __syncthreads();
  for (int stride = 1; stride < BLOCK; stride *= 2) {
    const int i = 2 * stride * threadIdx.x;
    if (i < BLOCK) part[i] += part[i + stride];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[0] = part[0];
}
