// Wrong: the mask stops one element too early, so the last element is never written.
// Launch: add_ten<<<ceil(n / 256), 256>>>(a, out, n)
__global__ void add_ten(const float* a, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n - 1) out[i] = a[i] + 10;
}
