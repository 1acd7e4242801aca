// Writes only zeros.
// Launch: row_cumsum<<<rows, 256>>>(x, out, rows, columns)
__global__ void row_cumsum(const float* x, float* out, int rows, int columns) {
  for (int c = threadIdx.x; c < columns; c += 256) out[blockIdx.x * columns + c] = 0;
}
