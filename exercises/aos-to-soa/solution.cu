// x[i], y[i], z[i] = the three coordinates of point i, which `points` stores one after the other. A block copies the
// floats of its points to shared memory in the order of memory, and picks the coordinates out there.
#define BLOCK 256
// Launch: split<<<ceil(n / BLOCK), BLOCK>>>(points, x, y, z, n)
__global__ void split(const float* points, float* x, float* y, float* z, int n) {
  __shared__ float staged[3 * BLOCK];
  int first = blockIdx.x * BLOCK;     // the first point of the block
  int count = min(BLOCK, n - first);  // the last block may have fewer points
  for (int k = threadIdx.x; k < 3 * count; k += BLOCK) staged[k] = points[3 * first + k];
  __syncthreads();
  int t = threadIdx.x;
  if (t < count) {
    x[first + t] = staged[3 * t];
    y[first + t] = staged[3 * t + 1];
    z[first + t] = staged[3 * t + 2];
  }
}
