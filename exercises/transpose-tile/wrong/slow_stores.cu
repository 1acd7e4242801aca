// Slow: no tile. The lanes follow a row of `in`, and each store touches 32 sectors of `out`.
#define TILE 32
#define STEP 8
// Launch: transpose<<<(ceil(columns / TILE), ceil(rows / TILE)), (TILE, STEP)>>>(in, out, rows, columns)
__global__ void transpose(const float* in, float* out, int rows, int columns) {
  int c = blockIdx.x * TILE + threadIdx.x;
  for (int j = threadIdx.y; j < TILE; j += STEP) {
    int r = blockIdx.y * TILE + j;
    if (r < rows && c < columns) out[c * rows + r] = in[r * columns + c];
  }
}
