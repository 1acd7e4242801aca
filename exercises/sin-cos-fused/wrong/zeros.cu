// Wrong: writes only zeros.
//
// Launch: sin_cos<<<ceil(n / 256), 256>>>(a, out, n)

__global__ void sin_cos(const float* a, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 0;
}
