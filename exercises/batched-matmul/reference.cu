// Launch: reference<<<(ceil(m * n / 128), batch), 128>>>(a, b, c, m, n, k, stride_a, stride_b, stride_c)
__global__ void reference(const float* a, const float* b, double* c, int m, int n, int k, int stride_a, int stride_b,
                          int stride_c) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, batch = blockIdx.y;
  if (i >= m * n) return;
  const int row = i / n, column = i % n;
  double sum = 0;
  for (int p = 0; p < k; ++p)
    sum += static_cast<double>(a[batch * stride_a + row * k + p]) * b[batch * stride_b + p * n + column];
  c[batch * stride_c + i] = sum;
}
