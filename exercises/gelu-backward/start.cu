// dx[i] = dy[i] · (derivative of GELU at x[i]), for i < n.
//
// Launch: gelu_backward<<<ceil(n / 256), 256>>>(dy, x, dx, n)

__global__ void gelu_backward(const float* dy, const float* x, float* dx, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    // TODO: the derivative of x/2 · (1 + tanh(u)), where u = √(2/π) · (x + 0.044715 x³).
    float slope = x[i];
    dx[i] = dy[i] * slope;
  }
}
