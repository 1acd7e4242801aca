// Writes only a zero.
// Launch: dot_product<<<1, 256>>>(a, b, out, n)
__global__ void dot_product(const float* a, const float* b, float* out, int n) {
  if (threadIdx.x == 0) out[0] = 0;
}
