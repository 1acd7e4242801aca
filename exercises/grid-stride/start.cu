// out[i] = s · x[i] + y[i] for i < n, with a grid that does not depend on n.
// Launch: saxpy<<<132, 256>>>(x, y, out, s, n)
__global__ void saxpy(const float* x, const float* y, float* out, float s, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // TODO: this handles one element of each thread. Handle all of them.
  if (i < n) out[i] = s * x[i] + y[i];
}
