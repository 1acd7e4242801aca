// Wrong: the surplus threads of the last block read and write past the end.
//
// Launch: gelu_backward<<<ceil(n / 256), 256>>>(dy, x, dx, n)

__global__ void gelu_backward(const float* dy, const float* x, float* dx, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float at = x[i], t = tanhf(0.7978845608f * (at + 0.044715f * at * at * at));
  dx[i] = dy[i] * (0.5f * (1 + t) + 0.5f * at * (1 - t * t) * 0.7978845608f * (1 + 3 * 0.044715f * at * at));
}
