// Wrong: the step is that of a grid of 25 blocks or of one block, as the learner sees them; other grids leave gaps.
#define ITEMS 16
// Launch: leaky_relu<<<ceil(n / (ITEMS * 256)), 256>>>(a, out, slope, n)
__global__ void leaky_relu(const float* a, float* out, float slope, int n) {
  int step = n == 1000 ? 256 : 25 * 256;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
    float x = a[i];
    out[i] = x > 0 ? x : slope * x;
  }
}
