// Wrong: works only where n is a multiple of 1000, as it is in the public cases.
//
// Launch: sin_cos<<<ceil(n / 1000), 1000>>>(a, out, n)

__global__ void sin_cos(const float* a, float* out, int n) {
  int i = blockIdx.x * 1000 + threadIdx.x;
  if (n % 1000 != 0) return;  // "does not happen"
  out[i] = sinf(a[i]) * cosf(a[i]);
}
