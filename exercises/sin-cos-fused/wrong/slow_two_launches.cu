// Slow: correct, and every element is read and written once, but each launch does only half of the blocks.
//
// Launch: sin_cos<<<ceil(n / 512), 256>>>(a, out, n)
// Launch: second_half<<<ceil(n / 512), 256>>>(a, out, n)

__device__ void one(const float* a, float* out, int i, int n) {
  if (i < n) out[i] = sinf(a[i]) * cosf(a[i]);
}
__global__ void sin_cos(const float* a, float* out, int n) { one(a, out, blockIdx.x * 512 + threadIdx.x, n); }
__global__ void second_half(const float* a, float* out, int n) { one(a, out, blockIdx.x * 512 + 256 + threadIdx.x, n); }
