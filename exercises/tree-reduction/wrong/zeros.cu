// Writes only a zero.
// Launch: tree_sum<<<1, 256>>>(x, out, n)
__global__ void tree_sum(const float* x, float* out, int n) {
  if (threadIdx.x == 0) out[0] = 0;
}
