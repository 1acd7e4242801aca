// Wrong: the number of rounds is rounded up, and the last round has no mask.
// Launch: saxpy<<<132, 256>>>(x, y, out, s, n)
__global__ void saxpy(const float* x, const float* y, float* out, float s, int n) {
  int threads = gridDim.x * blockDim.x;
  for (int first = 0; first < n; first += threads) {
    int i = first + blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = s * x[i] + y[i];
  }
}
