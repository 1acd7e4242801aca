// out[i] = a[i] + b[i] for i < n. One thread, one element.
// Launch: vector_add<<<ceil(n / 256), 256>>>(a, b, out, n)
__global__ void vector_add(const float* a, const float* b, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = a[i] + b[i];
}
