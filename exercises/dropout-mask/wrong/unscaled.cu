// Wrong: the elements that are kept are not divided by 1 - p, so the mean of the result shrinks.
//
// Launch: dropout<<<ceil(n / 256), 256>>>(x, out, p, seed, n)

__device__ unsigned hash(unsigned i, unsigned seed) {
  unsigned h = i * 0x7c9d2f35u + seed;
  h ^= h >> 15;
  h *= 0xd3a1946bu;
  h ^= h >> 13;
  h *= 0x2f8be4c7u;
  return h ^ h >> 16;
}
__device__ float random_of(unsigned i, unsigned seed) { return (hash(i, seed) >> 8) * 0x1p-24f; }

__global__ void dropout(const float* x, float* out, float p, unsigned seed, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = random_of(i, seed) >= p ? x[i] : 0;
}
