// Slow: the lanes are two floats apart, which is better than 16, and still wastes half of each sector.
#define ITEMS 16
// Launch: leaky_relu<<<ceil(n / (ITEMS * 256)), 256>>>(a, out, slope, n)
__global__ void leaky_relu(const float* a, float* out, float slope, int n) {
  int first = blockIdx.x * blockDim.x * ITEMS;
  for (int k = 0; k < ITEMS; ++k) {
    int i = first + (k / 2 * blockDim.x + threadIdx.x) * 2 + k % 2;
    if (i < n) {
      float x = a[i];
      out[i] = x > 0 ? x : slope * x;
    }
  }
}
