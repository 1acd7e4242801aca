// Slow: each thread reverses a chunk of 8 neighbouring elements, so the lanes of a warp are 32 bytes apart.
// Launch: reverse<<<ceil(n / 2048), 256>>>(a, out, n)
__global__ void reverse(const float* a, float* out, int n) {
  int first = (blockIdx.x * blockDim.x + threadIdx.x) * 8;
  for (int i = first; i < min(first + 8, n); ++i) out[i] = a[n - 1 - i];
}
