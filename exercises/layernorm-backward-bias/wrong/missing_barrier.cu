// Wrong: no barrier, so the first warp reads sums before the other warps have written them.
//
// Launch: bias_gradient<<<(ceil(columns / 32), ceil(rows / STRIP)), (32, WARPS)>>>(dy, dbias, rows, columns)
#define WARPS 8
#define STRIP 64

__global__ void bias_gradient(const float* dy, float* dbias, int rows, int columns) {
  __shared__ float sums[WARPS][32];
  int c = blockIdx.x * 32 + threadIdx.x;
  int first = blockIdx.y * STRIP, end = min(first + STRIP, rows);

  float sum = 0;
  if (c < columns)
    for (int r = first + threadIdx.y; r < end; r += WARPS) sum += dy[static_cast<long long>(r) * columns + c];
  sums[threadIdx.y][threadIdx.x] = sum;

  // The first warp adds the sums of all, again a column in each lane.
  if (threadIdx.y == 0 && c < columns) {
    for (int warp = 1; warp < WARPS; ++warp) sum += sums[warp][threadIdx.x];
    atomicAdd(dbias + c, sum);
  }
}
