// out[r, c] = a[r] + b[c] for r < rows and c < columns.
// TODO: choose the grid and the blocks.
// Launch: broadcast_add<<<1, 256>>>(a, b, out, rows, columns)
__global__ void broadcast_add(const float* a, const float* b, float* out, int rows, int columns) {
  // TODO: which row and which columns does this thread own?
}
