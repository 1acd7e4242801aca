// There is no barrier between the levels of the tree.
// Launch: tree_sum<<<1, BLOCK>>>(x, out, n)
constexpr int BLOCK = 256;

__global__ void tree_sum(const float* x, float* out, int n) {
  __shared__ float part[BLOCK];
  float sum = 0;
  for (int i = threadIdx.x; i < n; i += BLOCK) sum += x[i];
  part[threadIdx.x] = sum;
  __syncthreads();
  for (int stride = BLOCK / 2; stride > 0; stride /= 2) {
    if (threadIdx.x < stride) part[threadIdx.x] += part[threadIdx.x + stride];
  }
  __syncthreads();
  if (threadIdx.x == 0) out[0] = part[0];
}
