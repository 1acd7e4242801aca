// out[i] = a[i] where a[i] > 0, and slope · a[i] elsewhere. A block owns ITEMS · blockDim.x neighbouring elements. In
// each round its threads handle blockDim.x neighbours, so the elements of one thread are blockDim.x apart.
#define ITEMS 16
// Launch: leaky_relu<<<ceil(n / (ITEMS * 256)), 256>>>(a, out, slope, n)
__global__ void leaky_relu(const float* a, float* out, float slope, int n) {
  int first = blockIdx.x * blockDim.x * ITEMS + threadIdx.x;
  for (int k = 0; k < ITEMS; ++k) {
    int i = first + k * blockDim.x;
    if (i < n) {
      float x = a[i];
      out[i] = x > 0 ? x : slope * x;
    }
  }
}
