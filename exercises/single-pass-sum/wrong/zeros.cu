// Writes only a zero.
// Launch: single_pass_sum<<<1, 256>>>(x, out, partials, arrived, n)
__global__ void single_pass_sum(const float* x, float* out, float* partials, unsigned* arrived, int n) {
  if (threadIdx.x == 0) out[0] = 0;
}
