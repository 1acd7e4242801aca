// Wrong: writes only zeros.
//
// Launch: bias_gradient<<<ceil(columns / 256), 256>>>(dy, dbias, rows, columns)

__global__ void bias_gradient(const float* dy, float* dbias, int rows, int columns) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c < columns) dbias[c] = 0;
}
