// The order written out: element (row, column) counts the tiles that come before its own.
// Launch: reference<<<ceil(rows * columns / 128), 128>>>(out, rows, columns, group)
__global__ void reference(double* out, int rows, int columns, int group) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rows * columns) return;
  const int tiles_m = (rows + 31) / 32, tiles_n = (columns + 31) / 32;
  const int tile_m = i / columns / 32, tile_n = i % columns / 32;
  const int first_row = tile_m / group * group, height = min(group, tiles_m - first_row);
  out[i] = first_row * tiles_n + tile_n * height + tile_m - first_row;
}
