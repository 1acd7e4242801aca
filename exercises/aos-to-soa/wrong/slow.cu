// Slow: each thread reads the three floats of its point, 12 bytes from lane to lane.
#define BLOCK 256
// Launch: split<<<ceil(n / BLOCK), BLOCK>>>(points, x, y, z, n)
__global__ void split(const float* points, float* x, float* y, float* z, int n) {
  int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < n) {
    x[i] = points[3 * i];
    y[i] = points[3 * i + 1];
    z[i] = points[3 * i + 2];
  }
}
