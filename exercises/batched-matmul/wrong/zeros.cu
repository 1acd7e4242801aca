// Writes zeros everywhere.
// Launch: matmul<<<(ceil(m * n / 256), 1, batch), 256>>>(a, b, c, m, n, k, stride_a, stride_b, stride_c)
__global__ void matmul(const float* a, const float* b, float* c, int m, int n, int k, int stride_a, int stride_b,
                       int stride_c) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < m * n) c[blockIdx.z * stride_c + i] = 0;
}
