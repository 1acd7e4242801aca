// Wrong: every block handles the first 256 elements, and the others are never written.
// Launch: add_ten<<<ceil(n / 256), 256>>>(a, out, n)
__global__ void add_ten(const float* a, float* out, int n) {
  int i = threadIdx.x;
  if (i < n) out[i] = a[i] + 10;
}
