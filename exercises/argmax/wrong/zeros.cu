// Writes only zeros.
// Launch: argmax<<<ceil(rows / 256), 256>>>(x, out, rows, columns)
__global__ void argmax(const int* x, int* out, int rows, int columns) {
  const int r = blockIdx.x * 256 + threadIdx.x;
  if (r < rows) out[r] = 0;
}
