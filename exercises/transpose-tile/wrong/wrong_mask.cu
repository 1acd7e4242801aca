// Wrong: the stores keep the mask of the loads, which is about different elements in tiles that are cut short.
#define TILE 32
#define STEP 8
// Launch: transpose<<<(ceil(columns / TILE), ceil(rows / TILE)), (TILE, STEP)>>>(in, out, rows, columns)
__global__ void transpose(const float* in, float* out, int rows, int columns) {
  __shared__ float tile[TILE][TILE];
  int top = blockIdx.y * TILE, left = blockIdx.x * TILE;
  for (int j = threadIdx.y; j < TILE; j += STEP) {
    int r = top + j, c = left + threadIdx.x;
    if (r < rows && c < columns) tile[j][threadIdx.x] = in[r * columns + c];
  }
  __syncthreads();
  for (int j = threadIdx.y; j < TILE; j += STEP) {
    int r = top + j, c = left + threadIdx.x;
    if (r < rows && c < columns) out[(left + j) * rows + top + threadIdx.x] = tile[threadIdx.x][j];
  }
}
