// Wrong: takes a by the column and b by the row.
// Launch: broadcast_add<<<(ceil(columns / 256), rows), 256>>>(a, b, out, rows, columns)
__global__ void broadcast_add(const float* a, const float* b, float* out, int rows, int columns) {
  int r = blockIdx.y, c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c < columns) out[r * columns + c] = a[c] + b[r];
}
