// out[i] = factor · a[i] for i < n.
// Launch: scale<<<ceil(n / 256), 256>>>(a, out, factor, n)
__global__ void scale(const float* a, float* out, float factor, int n) {
  // TODO: let each thread move four neighbouring floats with one 16-byte load and one 16-byte store.
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = factor * a[i];
}
