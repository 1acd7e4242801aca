// Divides by the height where it should take the remainder: blocks share tiles.
// Launch: tile_order<<<ceil(rows / TILE_M) * ceil(columns / TILE_N), (TILE_N, 4)>>>(out, rows, columns, group)
#define TILE_M 32
#define TILE_N 32

__global__ void tile_order(int* out, int rows, int columns, int group) {
  const int tiles_m = (rows + TILE_M - 1) / TILE_M, tiles_n = (columns + TILE_N - 1) / TILE_N;
  const int first_row = blockIdx.x / (group * tiles_n) * group;  // of the group, in tiles
  const int in_group = blockIdx.x % (group * tiles_n);
  const int height = min(group, tiles_m - first_row);  // the last group may have fewer rows
  const int tile_m = first_row + in_group / height % height, tile_n = in_group / height;

  const int column = tile_n * TILE_N + threadIdx.x;
  for (int y = threadIdx.y; y < TILE_M; y += blockDim.y) {
    const int row = tile_m * TILE_M + y;
    if (row < rows && column < columns) out[row * columns + column] = blockIdx.x;
  }
}
