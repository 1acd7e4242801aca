// Writes only a zero.
// Launch: maximum<<<1, 256>>>(x, out, n)
__global__ void maximum(const float* x, float* out, int n) {
  if (threadIdx.x == 0) out[0] = 0;
}
