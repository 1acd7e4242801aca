// out[c, r] = in[r, c]. `in` has `rows` rows of `columns` floats, `out` the reverse.
// TODO: the stores touch 32 sectors per request. Move the tile through shared memory.
#define TILE 32
#define STEP 8  // rows of the tile that the block moves at once
// Launch: transpose<<<(ceil(columns / TILE), ceil(rows / TILE)), (TILE, STEP)>>>(in, out, rows, columns)
__global__ void transpose(const float* in, float* out, int rows, int columns) {
  int c = blockIdx.x * TILE + threadIdx.x;
  for (int j = threadIdx.y; j < TILE; j += STEP) {
    int r = blockIdx.y * TILE + j;
    if (r < rows && c < columns) out[c * rows + r] = in[r * columns + c];
  }
}
