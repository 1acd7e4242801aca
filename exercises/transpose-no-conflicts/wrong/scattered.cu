// Slow: moved the conflict out of shared memory. The tile is read along its rows, and so `out` is written down its
// columns.
#define TILE 32
#define STEP 8
// Launch: transpose<<<(ceil(columns / TILE), ceil(rows / TILE)), (TILE, STEP)>>>(in, out, rows, columns)
__global__ void transpose(const float* in, float* out, int rows, int columns) {
  __shared__ float tile[TILE][TILE];
  int top = blockIdx.y * TILE, left = blockIdx.x * TILE, t = threadIdx.x;
  for (int j = threadIdx.y; j < TILE; j += STEP) {
    int r = top + j, c = left + t;
    if (r < rows && c < columns) tile[j][t] = in[r * columns + c];
  }
  __syncthreads();
  for (int j = threadIdx.y; j < TILE; j += STEP) {
    int r = top + j, c = left + t;
    if (r < rows && c < columns) out[c * rows + r] = tile[j][t];
  }
}
