// The sum of n floats by one block: each thread adds its share in a register, then a tree adds the 256 sums.
// Launch: tree_sum<<<1, BLOCK>>>(x, out, n)
constexpr int BLOCK = 256;

__global__ void tree_sum(const float* x, float* out, int n) {
  __shared__ float part[BLOCK];
  float sum = 0;
  for (int i = threadIdx.x; i < n; i += BLOCK) sum += x[i];
  part[threadIdx.x] = sum;  // 0, the neutral element, where n has ended
  __syncthreads();
  // The upper half is folded onto the lower half. The threads that add are neighbours, so whole warps drop out.
  for (int stride = BLOCK / 2; stride > 0; stride /= 2) {
    if (threadIdx.x < stride) part[threadIdx.x] += part[threadIdx.x + stride];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[0] = part[0];
}
