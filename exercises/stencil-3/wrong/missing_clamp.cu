// Wrong: reads a[-1] and a[n].
#define BLOCK 256
// Launch: stencil<<<ceil(n / BLOCK), BLOCK>>>(a, out, n)
__global__ void stencil(const float* a, float* out, int n) {
  __shared__ float inputs[BLOCK + 2];
  int t = threadIdx.x, i = blockIdx.x * BLOCK + t;
  if (i < n) {
    inputs[t + 1] = a[i];
    if (t == 0) inputs[0] = a[i - 1];
    if (t == BLOCK - 1 || i == n - 1) inputs[t + 2] = a[i + 1];
  }
  __syncthreads();
  if (i < n) out[i] = 0.25f * inputs[t] + 0.5f * inputs[t + 1] + 0.25f * inputs[t + 2];
}
