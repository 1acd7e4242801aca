// Writes zeros everywhere.
// Launch: matmul<<<(ceil(n / 32), ceil(m / 8)), (32, 8)>>>(a, b, c, m, n, k)
__global__ void matmul(const float* a, const float* b, float* c, int m, int n, int k) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < m && column < n) c[row * n + column] = 0;
}
