// Wrong: seven rows of tiles, which is enough for the matrices that the learner sees.
#define TILE 32
#define STEP 8
// Launch: transpose<<<(ceil(columns / TILE), 7), (TILE, STEP)>>>(in, out, rows, columns)
__global__ void transpose(const float* in, float* out, int rows, int columns) {
  __shared__ float tile[TILE][TILE];
  int top = blockIdx.y * TILE, left = blockIdx.x * TILE, t = threadIdx.x;
  for (int j = threadIdx.y; j < TILE; j += STEP) {
    int r = top + j, c = left + t;
    if (r < rows && c < columns) tile[j][t ^ j] = in[r * columns + c];
  }
  __syncthreads();
  for (int j = threadIdx.y; j < TILE; j += STEP) {
    int r = top + t, c = left + j;
    if (r < rows && c < columns) out[c * rows + r] = tile[t][j ^ t];
  }
}
