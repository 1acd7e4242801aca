// Slow: the results are right, but each thread has eight neighbours, so that the lanes of a warp are 32 bytes apart.
//
// Launch: gelu_backward<<<ceil(n / 2048), 256>>>(dy, x, dx, n)

__global__ void gelu_backward(const float* dy, const float* x, float* dx, int n) {
  int first = (blockIdx.x * blockDim.x + threadIdx.x) * 8;
  for (int i = first; i < first + 8 && i < n; ++i) {
    float at = x[i], t = tanhf(0.7978845608f * (at + 0.044715f * at * at * at));
    dx[i] = dy[i] * (0.5f * (1 + t) + 0.5f * at * (1 - t * t) * 0.7978845608f * (1 + 3 * 0.044715f * at * at));
  }
}
