// Wrong: threads pick coordinates that other warps may not have copied yet.
#define BLOCK 256
// Launch: split<<<ceil(n / BLOCK), BLOCK>>>(points, x, y, z, n)
__global__ void split(const float* points, float* x, float* y, float* z, int n) {
  __shared__ float staged[3 * BLOCK];
  int first = blockIdx.x * BLOCK;
  int count = min(BLOCK, n - first);
  for (int k = threadIdx.x; k < 3 * count; k += BLOCK) staged[k] = points[3 * first + k];
  int t = threadIdx.x;
  if (t < count) {
    x[first + t] = staged[3 * t];
    y[first + t] = staged[3 * t + 1];
    z[first + t] = staged[3 * t + 2];
  }
}
