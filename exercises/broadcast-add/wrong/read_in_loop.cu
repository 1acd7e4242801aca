// Slow: reads a[r] inside the loop. The store to `out` might have changed it, so the compiler reads it every time.
// Launch: broadcast_add<<<ceil(rows / 8), (32, 8)>>>(a, b, out, rows, columns)
__global__ void broadcast_add(const float* a, const float* b, float* out, int rows, int columns) {
  int r = blockIdx.x * blockDim.y + threadIdx.y;
  if (r >= rows) return;
  for (int c = threadIdx.x; c < columns; c += 32) out[r * columns + c] = a[r] + b[c];
}
