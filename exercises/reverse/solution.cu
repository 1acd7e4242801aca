// out[i] = a[n - 1 - i] for i < n. One thread, one element of out.
// Launch: reverse<<<ceil(n / 256), 256>>>(a, out, n)
__global__ void reverse(const float* a, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = a[n - 1 - i];
}
