// Scaled dropout: out[i] = x[i] / (1 - p) if the random number of i is at least p, and 0 otherwise.
//
// Launch: dropout<<<ceil(n / 256), 256>>>(x, out, p, seed, n)

// A number in [0, 1) that depends on the index and the seed.
__device__ float random_of(unsigned i, unsigned seed) {
  // TODO: the hash of the task.
  return 0;
}

__global__ void dropout(const float* x, float* out, float p, unsigned seed, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    // TODO: keep and scale, or drop.
    out[i] = x[i] * random_of(i, seed);
  }
}
