// Slow: one thread per float. The loads are coalesced, and each store serves a third of the lanes.
#define BLOCK 256
// Launch: split<<<ceil(3 * n / BLOCK), BLOCK>>>(points, x, y, z, n)
__global__ void split(const float* points, float* x, float* y, float* z, int n) {
  int k = blockIdx.x * BLOCK + threadIdx.x;
  if (k >= 3 * n) return;
  float value = points[k];
  int i = k / 3;
  if (k % 3 == 0) x[i] = value;
  if (k % 3 == 1) y[i] = value;
  if (k % 3 == 2) z[i] = value;
}
