// out[c, r] = in[r, c]. `in` has `rows` rows of `columns` floats, `out` the reverse. A block reads a tile along the
// rows of `in` and writes it along the rows of `out`; in between, the tile is in shared memory.
#define TILE 32
#define STEP 8  // rows of the tile that the block moves at once
// Launch: transpose<<<(ceil(columns / TILE), ceil(rows / TILE)), (TILE, STEP)>>>(in, out, rows, columns)
__global__ void transpose(const float* in, float* out, int rows, int columns) {
  __shared__ float tile[TILE][TILE];
  int top = blockIdx.y * TILE, left = blockIdx.x * TILE;  // of the tile, in `in`
  for (int j = threadIdx.y; j < TILE; j += STEP) {
    int r = top + j, c = left + threadIdx.x;
    if (r < rows && c < columns) tile[j][threadIdx.x] = in[r * columns + c];
  }
  __syncthreads();
  for (int j = threadIdx.y; j < TILE; j += STEP) {
    int r = top + threadIdx.x, c = left + j;  // the lanes now follow a column of the tile, which is a row of `out`
    if (r < rows && c < columns) out[c * rows + r] = tile[threadIdx.x][j];
  }
}
