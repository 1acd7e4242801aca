// Correct, but neighbouring lanes compute neighbouring rows: a warp reads a column of a and writes a column of c.
// Launch: matmul<<<(ceil(m / 32), ceil(n / 8)), (32, 8)>>>(a, b, c, m, n, k)
__global__ void matmul(const float* a, const float* b, float* c, int m, int n, int k) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  const int column = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= m || column >= n) return;
  float accumulator = 0;
  for (int p = 0; p < k; ++p) accumulator += a[row * k + p] * b[p * n + column];
  c[row * n + column] = accumulator;
}
