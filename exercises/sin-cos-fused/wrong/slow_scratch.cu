// Slow: one launch, but out serves as a scratch buffer and is written twice.
//
// Launch: sin_cos<<<ceil(n / 256), 256>>>(a, out, n)

__global__ void sin_cos(const float* a, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float angle = a[i];
  volatile float* scratch = out;
  scratch[i] = sinf(angle);
  scratch[i] = scratch[i] * cosf(angle);
}
