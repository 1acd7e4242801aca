// Slow: one thread per row. It reads a[r] once, but the lanes of a warp write to 32 different rows.
// Launch: broadcast_add<<<ceil(rows / 32), 32>>>(a, b, out, rows, columns)
__global__ void broadcast_add(const float* a, const float* b, float* out, int rows, int columns) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  float x = a[r];
  for (int c = 0; c < columns; ++c) out[r * columns + c] = x + b[c];
}
