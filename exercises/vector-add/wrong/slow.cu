// Slow: divides by the warp size instead of the block size. Seven of eight blocks find nothing to do.
// Launch: vector_add<<<ceil(n / 32), 256>>>(a, b, out, n)
__global__ void vector_add(const float* a, const float* b, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = a[i] + b[i];
}
