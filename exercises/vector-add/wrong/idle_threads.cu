// Slow: the blocks were made larger and the grid was not made smaller. Three of four blocks find nothing to do.
// Launch: vector_add<<<ceil(n / 256), 1024>>>(a, b, out, n)
__global__ void vector_add(const float* a, const float* b, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = a[i] + b[i];
}
