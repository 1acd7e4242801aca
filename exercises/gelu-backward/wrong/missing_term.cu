// Wrong: only the first term of the product rule.
//
// Launch: gelu_backward<<<ceil(n / 256), 256>>>(dy, x, dx, n)

__global__ void gelu_backward(const float* dy, const float* x, float* dx, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float at = x[i], t = tanhf(0.7978845608f * (at + 0.044715f * at * at * at));
    dx[i] = dy[i] * 0.5f * (1 + t);
  }
}
