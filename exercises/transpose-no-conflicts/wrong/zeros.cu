// Wrong: writes zeros everywhere.
// Launch: transpose<<<ceil(rows * columns / 256), 256>>>(in, out, rows, columns)
__global__ void transpose(const float* in, float* out, int rows, int columns) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < rows * columns) out[i] = 0;
}
