// Wrong: the offset of the block lacks ITEMS. Neighbouring blocks overlap, and the end of the vector is never written.
#define ITEMS 16
// Launch: leaky_relu<<<ceil(n / (ITEMS * 256)), 256>>>(a, out, slope, n)
__global__ void leaky_relu(const float* a, float* out, float slope, int n) {
  int first = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < ITEMS; ++k) {
    int i = first + k * blockDim.x;
    if (i < n) {
      float x = a[i];
      out[i] = x > 0 ? x : slope * x;
    }
  }
}
