// Launch: reference<<<ceil(n / 256), 256>>>(a, out, slope, n)
__global__ void reference(const float* a, double* out, float slope, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double x = a[i];
  out[i] = x > 0 ? x : slope * x;
}
