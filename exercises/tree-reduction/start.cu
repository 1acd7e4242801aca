// out[0] = x[0] + … + x[n − 1], by one block.
// Launch: tree_sum<<<1, BLOCK>>>(x, out, n)
constexpr int BLOCK = 256;

__global__ void tree_sum(const float* x, float* out, int n) {
  __shared__ float part[BLOCK];
  part[threadIdx.x] = 0;
  // TODO: part[t] = what thread t adds up by itself
  // TODO: a tree over part, with a barrier between its levels
  if (threadIdx.x == 0) out[0] = part[0];
}
