// Launch: reference<<<ceil(n / 256), 256>>>(a, out, n)
__global__ void reference(const float* a, double* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = a[n - 1 - i];
}
