// Launch: reference<<<ceil(m * n / 256), 256>>>(a, b, c, m, n, k)
__global__ void reference(const float* a, const float* b, double* c, int m, int n, int k) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m * n) return;
  const int row = i / n, column = i % n;
  double sum = 0;
  for (int p = 0; p < k; ++p) sum += static_cast<double>(a[row * k + p]) * b[p * n + column];
  c[i] = sum;
}
