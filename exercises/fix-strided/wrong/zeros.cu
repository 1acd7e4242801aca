// Wrong: writes zeros everywhere.
#define ITEMS 16
// Launch: leaky_relu<<<ceil(n / (ITEMS * 256)), 256>>>(a, out, slope, n)
__global__ void leaky_relu(const float* a, float* out, float slope, int n) {
  int first = blockIdx.x * blockDim.x * ITEMS + threadIdx.x;
  for (int k = 0; k < ITEMS; ++k)
    if (first + k * blockDim.x < n) out[first + k * blockDim.x] = 0;
}
