// Each block writes its number into its tile of out, rows × columns. Tiles are taken in groups of `group` tile rows.
// Launch: tile_order<<<ceil(rows / TILE_M) * ceil(columns / TILE_N), (TILE_N, 4)>>>(out, rows, columns, group)
#define TILE_M 32
#define TILE_N 32

__global__ void tile_order(int* out, int rows, int columns, int group) {
  const int tiles_n = (columns + TILE_N - 1) / TILE_N;
  // TODO: this is row-major order. Take the tiles in groups.
  const int tile_m = blockIdx.x / tiles_n, tile_n = blockIdx.x % tiles_n;
  const int column = tile_n * TILE_N + threadIdx.x;
  for (int y = threadIdx.y; y < TILE_M; y += blockDim.y) {
    const int row = tile_m * TILE_M + y;
    if (row < rows && column < columns) out[row * columns + column] = blockIdx.x;
  }
}
