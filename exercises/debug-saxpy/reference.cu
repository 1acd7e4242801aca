// Launch: reference<<<ceil(n / 256), 256>>>(alpha, x, y, out, n)
__global__ void reference(float alpha, const float* x, const float* y, double* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = double(alpha) * x[i] + y[i];
}
