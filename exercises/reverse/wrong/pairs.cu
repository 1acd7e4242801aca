// Wrong: each thread swaps a pair, and the middle element of an odd n is never written.
// Launch: reverse<<<ceil(n / 256), 256>>>(a, out, n)
__global__ void reverse(const float* a, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n / 2) {
    out[i] = a[n - 1 - i];
    out[n - 1 - i] = a[i];
  }
}
