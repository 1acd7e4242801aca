// Wrong: the last tiles of a row and of a column are read and written whole.
#define TILE 32
#define STEP 8
// Launch: transpose<<<(ceil(columns / TILE), ceil(rows / TILE)), (TILE, STEP)>>>(in, out, rows, columns)
__global__ void transpose(const float* in, float* out, int rows, int columns) {
  __shared__ float tile[TILE][TILE];
  int top = blockIdx.y * TILE, left = blockIdx.x * TILE;
  for (int j = threadIdx.y; j < TILE; j += STEP) tile[j][threadIdx.x] = in[(top + j) * columns + left + threadIdx.x];
  __syncthreads();
  for (int j = threadIdx.y; j < TILE; j += STEP) out[(left + j) * rows + top + threadIdx.x] = tile[threadIdx.x][j];
}
