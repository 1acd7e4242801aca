// counts[k] += how many of the n keys are k. counts starts at 0.
// Launch: histogram<<<min(32, ceil(n / BLOCK)), BLOCK>>>(keys, counts, n)
constexpr int BLOCK = 256;

__global__ void histogram(const unsigned char* keys, int* counts, int n) {
  __shared__ int bins[256];
  bins[threadIdx.x] = 0;
  // TODO: count the keys of this block in bins
  // TODO: add bins to counts
}
