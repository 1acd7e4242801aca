// Wrong: the grid is rounded down, so the last n mod 256 elements have no thread.
// Launch: vector_add<<<max(floor(n / 256), 1), 256>>>(a, b, out, n)
__global__ void vector_add(const float* a, const float* b, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = a[i] + b[i];
}
