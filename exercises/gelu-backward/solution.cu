// dx[i] = dy[i] · (derivative of GELU at x[i]), for i < n.
// GELU is a product, so its derivative has two terms. tanh is computed again: it would cost 4 bytes to save.
//
// Launch: gelu_backward<<<ceil(n / 256), 256>>>(dy, x, dx, n)
#define SCALE 0.7978845608f  // √(2/π)
#define CUBIC 0.044715f

__global__ void gelu_backward(const float* dy, const float* x, float* dx, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float at = x[i], t = tanhf(SCALE * (at + CUBIC * at * at * at));
    float inner = SCALE * (1 + 3 * CUBIC * at * at);  // of tanh's argument
    float slope = 0.5f * (1 + t) + 0.5f * at * (1 - t * t) * inner;
    dx[i] = dy[i] * slope;
  }
}
