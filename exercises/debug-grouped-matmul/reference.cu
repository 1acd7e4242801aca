// Launch: reference<<<ceil(m * n / 256), 256>>>(a, b, c, m, n, k)
__global__ void reference(const float* a, const float* b, double* c, int m, int n, int k) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m * n) return;
  const int row = i / n, column = i % n;
  double sum = 0;
  for (int j = 0; j < k; ++j) sum += double(a[row * k + j]) * b[j * n + column];
  c[i] = sum;
}
