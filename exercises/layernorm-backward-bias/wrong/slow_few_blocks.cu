// Slow: the results are right, but a block sums all rows of its columns, so there are only 3 blocks.
//
// Launch: bias_gradient<<<ceil(columns / 32), (32, WARPS)>>>(dy, dbias, rows, columns)
#define WARPS 8

__global__ void bias_gradient(const float* dy, float* dbias, int rows, int columns) {
  __shared__ float sums[WARPS][32];
  int c = blockIdx.x * 32 + threadIdx.x;

  float sum = 0;
  if (c < columns)
    for (int r = threadIdx.y; r < rows; r += WARPS) sum += dy[static_cast<long long>(r) * columns + c];
  sums[threadIdx.y][threadIdx.x] = sum;
  __syncthreads();

  // The first warp adds the sums of all, again a column in each lane.
  if (threadIdx.y == 0 && c < columns) {
    for (int warp = 1; warp < WARPS; ++warp) sum += sums[warp][threadIdx.x];
    dbias[c] = sum;
  }
}
