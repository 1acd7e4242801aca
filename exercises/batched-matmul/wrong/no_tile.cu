// Correct, but without tiles: every warp reads its operands from global memory.
// Launch: matmul<<<(ceil(n / 16), ceil(m / 16), batch), (16, 16)>>>(a, b, c, m, n, k, stride_a, stride_b, stride_c)
__global__ void matmul(const float* a, const float* b, float* c, int m, int n, int k, int stride_a, int stride_b,
                       int stride_c) {
  const int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
  if (row >= m || column >= n) return;
  a += blockIdx.z * stride_a;
  b += blockIdx.z * stride_b;
  c += blockIdx.z * stride_c;
  float accumulator = 0;
  for (int p = 0; p < k; ++p) accumulator += a[row * k + p] * b[p * n + column];
  c[row * n + column] = accumulator;
}
