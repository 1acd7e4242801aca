// Launch: reference<<<ceil(n / 256), 256>>>(points, x, y, z, n)
__global__ void reference(const float* points, double* x, double* y, double* z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  x[i] = points[3 * i];
  y[i] = points[3 * i + 1];
  z[i] = points[3 * i + 2];
}
