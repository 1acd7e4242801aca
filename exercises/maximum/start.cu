// out[0] = the largest of x[0], …, x[n − 1].
// Launch: maximum<<<1, BLOCK>>>(x, out, n)
constexpr int BLOCK = 1024;

__global__ void maximum(const float* x, float* out, int n) {
  float largest = x[0];
  // TODO: each thread reduces its elements
  // TODO: the block reduces the values of its threads
  if (threadIdx.x == 0) out[0] = largest;
}
