// Slow: the results are right, but every element is added to dbias by itself.
//
// Launch: bias_gradient<<<(ceil(columns / 32), ceil(rows / STRIP)), (32, WARPS)>>>(dy, dbias, rows, columns)
#define WARPS 8
#define STRIP 64

__global__ void bias_gradient(const float* dy, float* dbias, int rows, int columns) {
  int c = blockIdx.x * 32 + threadIdx.x;
  int first = blockIdx.y * STRIP, end = min(first + STRIP, rows);
  if (c < columns)
    for (int r = first + threadIdx.y; r < end; r += WARPS)
      atomicAdd(dbias + c, dy[static_cast<long long>(r) * columns + c]);
}
