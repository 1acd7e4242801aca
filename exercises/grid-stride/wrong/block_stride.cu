// Slow: the step is one block instead of one grid. Each block passes over the rest of the vector alone, and many blocks
// write each element.
// Launch: saxpy<<<132, 256>>>(x, y, out, s, n)
__global__ void saxpy(const float* x, const float* y, float* out, float s, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x) out[i] = s * x[i] + y[i];
}
