// Slow: one launch and one write, but a[i] is loaded twice, by two device functions that take a pointer.
//
// Launch: sin_cos<<<ceil(n / 256), 256>>>(a, out, n)

__device__ float sine(const volatile float* a) { return sinf(*a); }
__device__ float cosine(const volatile float* a) { return cosf(*a); }

__global__ void sin_cos(const float* a, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = sine(a + i) * cosine(a + i);
}
