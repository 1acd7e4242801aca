// out[c, r] = in[r, c]. `in` has `rows` rows of `columns` floats, `out` the reverse. The tile in shared memory is
// swizzled, so that its columns have no bank conflicts although its rows are not padded.
#define TILE 32
#define STEP 8  // rows of the tile that the block moves at once

// The column at which row r of the tile stores its element c. Along a row and down a column, all banks are different.
__device__ int swizzled(int r, int c) { return c ^ r; }

// Launch: transpose<<<(ceil(columns / TILE), ceil(rows / TILE)), (TILE, STEP)>>>(in, out, rows, columns)
__global__ void transpose(const float* in, float* out, int rows, int columns) {
  __shared__ float tile[TILE][TILE];
  int top = blockIdx.y * TILE, left = blockIdx.x * TILE;  // of the tile, in `in`
  int t = threadIdx.x;
  for (int j = threadIdx.y; j < TILE; j += STEP) {
    int r = top + j, c = left + t;
    if (r < rows && c < columns) tile[j][swizzled(j, t)] = in[r * columns + c];
  }
  __syncthreads();
  for (int j = threadIdx.y; j < TILE; j += STEP) {
    int r = top + t, c = left + j;
    if (r < rows && c < columns) out[c * rows + r] = tile[t][swizzled(t, j)];
  }
}
