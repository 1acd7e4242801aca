// Writes only zeros.
// Launch: mean_variance<<<ceil(rows / 256), 256>>>(x, mean, variance, rows, columns)
__global__ void mean_variance(const float* x, float* mean, float* variance, int rows, int columns) {
  const int r = blockIdx.x * 256 + threadIdx.x;
  if (r < rows) mean[r] = variance[r] = 0;
}
