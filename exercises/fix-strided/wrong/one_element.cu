// Slow: coalesced, but with one element per thread and sixteen times the blocks.
// Launch: leaky_relu<<<ceil(n / 256), 256>>>(a, out, slope, n)
__global__ void leaky_relu(const float* a, float* out, float slope, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float x = a[i];
    out[i] = x > 0 ? x : slope * x;
  }
}
