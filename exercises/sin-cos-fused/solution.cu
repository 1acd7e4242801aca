// out[i] = sin(a[i]) · cos(a[i]) for i < n. The element and both functions of it stay in registers.
//
// Launch: sin_cos<<<ceil(n / 256), 256>>>(a, out, n)

__global__ void sin_cos(const float* a, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float angle = a[i];
    out[i] = sinf(angle) * cosf(angle);
  }
}
