// Wrong: writes zeros everywhere.
// Launch: broadcast_add<<<ceil(rows * columns / 256), 256>>>(a, b, out, rows, columns)
__global__ void broadcast_add(const float* a, const float* b, float* out, int rows, int columns) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < rows * columns) out[i] = 0;
}
