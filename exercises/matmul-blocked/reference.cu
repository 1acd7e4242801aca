// Launch: reference<<<ceil(m * n / 256), 256>>>(a, b, c, m, n, k)
#include <cuda_fp16.h>

__global__ void reference(const half* a, const half* b, double* c, int m, int n, int k) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m * n) return;
  const int row = i / n, column = i % n;
  double sum = 0;
  for (int p = 0; p < k; ++p)
    sum += static_cast<double>(__half2float(a[row * k + p])) * __half2float(b[p * n + column]);
  c[i] = sum;
}
