// out[i] = x[0] + … + x[i] for i < n, by one block; n is at most 1024.
// Launch: block_scan<<<1, BLOCK>>>(x, out, n)
constexpr int BLOCK = 1024;

__global__ void block_scan(const int* x, int* out, int n) {
  const int i = threadIdx.x;
  int sum = i < n ? x[i] : 0;
  // TODO: the sum of all elements up to i: in the warp, then over the warps
  if (i < n) out[i] = sum;
}
