// out[i] = s · x[i] + y[i] for i < n. The elements of a thread are one grid apart, so the loop fits any n and any grid.
// Launch: saxpy<<<132, 256>>>(x, y, out, s, n)
__global__ void saxpy(const float* x, const float* y, float* out, float s, int n) {
  int threads = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads) out[i] = s * x[i] + y[i];
}
