// Wrong: the last block handles 4,096 elements, although fewer are left.
#define ITEMS 16
// Launch: leaky_relu<<<ceil(n / (ITEMS * 256)), 256>>>(a, out, slope, n)
__global__ void leaky_relu(const float* a, float* out, float slope, int n) {
  int first = blockIdx.x * blockDim.x * ITEMS + threadIdx.x;
  for (int k = 0; k < ITEMS; ++k) {
    float x = a[first + k * blockDim.x];
    out[first + k * blockDim.x] = x > 0 ? x : slope * x;
  }
}
