// Wrong: the grid is a number that is large enough for the sizes that the learner sees.
// Launch: vector_add<<<391, 256>>>(a, b, out, n)
__global__ void vector_add(const float* a, const float* b, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = a[i] + b[i];
}
