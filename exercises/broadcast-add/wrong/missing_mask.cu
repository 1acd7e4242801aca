// Wrong: the last block has no mask for the rows.
// Launch: broadcast_add<<<ceil(rows / 8), (32, 8)>>>(a, b, out, rows, columns)
__global__ void broadcast_add(const float* a, const float* b, float* out, int rows, int columns) {
  int r = blockIdx.x * blockDim.y + threadIdx.y;
  float x = a[r];
  for (int c = threadIdx.x; c < columns; c += 32) out[r * columns + c] = x + b[c];
}
