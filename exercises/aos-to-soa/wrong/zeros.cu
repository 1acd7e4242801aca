// Wrong: writes zeros everywhere.
#define BLOCK 256
// Launch: split<<<ceil(n / BLOCK), BLOCK>>>(points, x, y, z, n)
__global__ void split(const float* points, float* x, float* y, float* z, int n) {
  int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < n) x[i] = y[i] = z[i] = 0;
}
