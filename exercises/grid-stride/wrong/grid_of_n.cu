// Slow: correct, but the grid grows with n again.
// Launch: saxpy<<<ceil(n / 256), 256>>>(x, y, out, s, n)
__global__ void saxpy(const float* x, const float* y, float* out, float s, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] = s * x[i] + y[i];
}
