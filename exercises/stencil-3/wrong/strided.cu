// Slow: each thread passes over a chunk of 32 elements and keeps its neighbours in registers. The lanes are 128 bytes
// apart.
#define CHUNK 32
// Launch: stencil<<<ceil(n / (CHUNK * 256)), 256>>>(a, out, n)
__global__ void stencil(const float* a, float* out, int n) {
  int first = (blockIdx.x * blockDim.x + threadIdx.x) * CHUNK, end = min(first + CHUNK, n);
  if (first >= n) return;
  float left = a[max(first - 1, 0)], middle = a[first];
  for (int i = first; i < end; ++i) {
    float right = a[min(i + 1, n - 1)];
    out[i] = 0.25f * left + 0.5f * middle + 0.25f * right;
    left = middle;
    middle = right;
  }
}
