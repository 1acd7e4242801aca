// Wrong: a warp makes 32 steps, which is enough for the 1,008 columns of the first case and for fewer.
// Launch: broadcast_add<<<ceil(rows / 8), (32, 8)>>>(a, b, out, rows, columns)
__global__ void broadcast_add(const float* a, const float* b, float* out, int rows, int columns) {
  int r = blockIdx.x * blockDim.y + threadIdx.y;
  if (r >= rows) return;
  float x = a[r];
  for (int step = 0; step < 32; ++step) {
    int c = step * 32 + threadIdx.x;
    if (c < columns) out[r * columns + c] = x + b[c];
  }
}
