// Correct but slow: a whole tree, with all its barriers, for every 256 elements.
// Launch: tree_sum<<<1, BLOCK>>>(x, out, n)
constexpr int BLOCK = 256;

__global__ void tree_sum(const float* x, float* out, int n) {
  __shared__ float part[BLOCK];
  float total = 0;
  for (int start = 0; start < n; start += BLOCK) {
    const int i = start + threadIdx.x;
    part[threadIdx.x] = i < n ? x[i] : 0;
    __syncthreads();
    for (int stride = BLOCK / 2; stride > 0; stride /= 2) {
      if (threadIdx.x < stride) part[threadIdx.x] += part[threadIdx.x + stride];
      __syncthreads();
    }
    total += part[0];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[0] = total;
}
