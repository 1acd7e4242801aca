// C = A · B: a is m × k, b is k × n, c is m × n, all row-major. One thread per element of C.
// The lanes of a warp follow a row of b and of c, and all of them read the same element of a.
// Launch: matmul<<<(ceil(n / 32), ceil(m / 8)), (32, 8)>>>(a, b, c, m, n, k)
__global__ void matmul(const float* a, const float* b, float* c, int m, int n, int k) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= m || column >= n) return;
  float accumulator = 0;
  for (int p = 0; p < k; ++p) accumulator += a[row * k + p] * b[p * n + column];
  c[row * n + column] = accumulator;
}
