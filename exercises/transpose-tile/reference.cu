// Launch: reference<<<(ceil(columns / 32), ceil(rows / 8)), (32, 8)>>>(in, out, rows, columns)
__global__ void reference(const float* in, double* out, int rows, int columns) {
  int r = blockIdx.y * blockDim.y + threadIdx.y, c = blockIdx.x * blockDim.x + threadIdx.x;
  if (r < rows && c < columns) out[c * rows + r] = in[r * columns + c];
}
