// Correct but slow: an atomic in global memory for every key.
// Launch: histogram<<<ceil(n / 256), 256>>>(keys, counts, n)
__global__ void histogram(const unsigned char* keys, int* counts, int n) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) atomicAdd(&counts[keys[i]], 1);
}
