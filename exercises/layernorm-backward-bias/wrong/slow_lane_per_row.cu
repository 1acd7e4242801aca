// Slow: the results are right, but lanes have neighbouring rows of one column: 32 sectors per request.
//
// Launch: bias_gradient<<<(columns, ceil(rows / STRIP)), 32>>>(dy, dbias, rows, columns)
#define STRIP 256

__global__ void bias_gradient(const float* dy, float* dbias, int rows, int columns) {
  int c = blockIdx.x;
  int first = blockIdx.y * STRIP, end = min(first + STRIP, rows);
  float sum = 0;
  for (int r = first + threadIdx.x; r < end; r += blockDim.x) sum += dy[static_cast<long long>(r) * columns + c];
  for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_xor_sync(0xffffffff, sum, distance);
  if (threadIdx.x == 0) atomicAdd(dbias + c, sum);
}
