// Wrong: writes zeros everywhere.
// Launch: scale<<<ceil(n / 1024), 256>>>(a, out, factor, n)
__global__ void scale(const float* a, float* out, float factor, int n) {
  int first = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
  for (int i = first; i < min(first + 4, n); ++i) out[i] = 0;
}
