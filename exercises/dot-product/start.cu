// out[0] += a[0] · b[0] + … + a[n − 1] · b[n − 1]. out[0] starts at 0.
// Launch: dot_product<<<ceil(n / 2048), BLOCK>>>(a, b, out, n)
constexpr int BLOCK = 256;

__global__ void dot_product(const float* a, const float* b, float* out, int n) {
  // TODO: each thread adds the products of its elements
  // TODO: the block adds the sums of its threads
  // TODO: one atomicAdd per block
}
