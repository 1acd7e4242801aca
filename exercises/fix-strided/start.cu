// out[i] = a[i] where a[i] > 0, and slope · a[i] elsewhere. Each thread handles ITEMS elements.
// TODO: correct, but every request touches 32 sectors. Let the threads handle other elements.
#define ITEMS 16
// Launch: leaky_relu<<<ceil(n / (ITEMS * 256)), 256>>>(a, out, slope, n)
__global__ void leaky_relu(const float* a, float* out, float slope, int n) {
  int first = (blockIdx.x * blockDim.x + threadIdx.x) * ITEMS;
  for (int k = 0; k < ITEMS; ++k) {
    int i = first + k;
    if (i < n) {
      float x = a[i];
      out[i] = x > 0 ? x : slope * x;
    }
  }
}
