// Correct but slow: a whole tree, with all its barriers, for every 1024 elements.
// Launch: maximum<<<1, BLOCK>>>(x, out, n)
constexpr int BLOCK = 1024;

__global__ void maximum(const float* x, float* out, int n) {
  __shared__ float part[BLOCK];
  float largest = -INFINITY;
  for (int start = 0; start < n; start += BLOCK) {
    const int i = start + threadIdx.x;
    part[threadIdx.x] = i < n ? x[i] : -INFINITY;
    __syncthreads();
    for (int stride = BLOCK / 2; stride > 0; stride /= 2) {
      if (threadIdx.x < stride) part[threadIdx.x] = fmaxf(part[threadIdx.x], part[threadIdx.x + stride]);
      __syncthreads();
    }
    largest = fmaxf(largest, part[0]);
    __syncthreads();
  }
  if (threadIdx.x == 0) out[0] = largest;
}
