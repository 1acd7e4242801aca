// out[r, c] = a[r] + b[c] for r < rows and c < columns. One warp handles one row, and its lanes follow the columns.
// Launch: broadcast_add<<<ceil(rows / 8), (32, 8)>>>(a, b, out, rows, columns)
__global__ void broadcast_add(const float* a, const float* b, float* out, int rows, int columns) {
  int r = blockIdx.x * blockDim.y + threadIdx.y;
  if (r >= rows) return;
  float x = a[r];  // before the loop: a store to `out` might change a[r], as far as the compiler knows
  for (int c = threadIdx.x; c < columns; c += 32) out[r * columns + c] = x + b[c];
}
