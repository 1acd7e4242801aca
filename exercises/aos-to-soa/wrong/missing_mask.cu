// Wrong: the last block copies 256 points, although fewer are left.
#define BLOCK 256
// Launch: split<<<ceil(n / BLOCK), BLOCK>>>(points, x, y, z, n)
__global__ void split(const float* points, float* x, float* y, float* z, int n) {
  __shared__ float staged[3 * BLOCK];
  int first = blockIdx.x * BLOCK, t = threadIdx.x;
  for (int k = t; k < 3 * BLOCK; k += BLOCK) staged[k] = points[3 * first + k];
  __syncthreads();
  if (first + t < n) {
    x[first + t] = staged[3 * t];
    y[first + t] = staged[3 * t + 1];
    z[first + t] = staged[3 * t + 2];
  }
}
