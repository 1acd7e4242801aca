// Slow: no shared memory, so each input is read three times.
// Launch: stencil<<<ceil(n / 256), 256>>>(a, out, n)
__global__ void stencil(const float* a, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 0.25f * a[max(i - 1, 0)] + 0.5f * a[i] + 0.25f * a[min(i + 1, n - 1)];
}
