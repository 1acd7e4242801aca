// dbias[c] = sum over all rows r of dy[r][c]. dbias is zero before the launch.
// This version is right: a thread has a column and adds down all rows. But 96 columns keep a single block busy.
//
// TODO: more blocks. Cut the rows into strips, sum each strip in a block, and add the sums to dbias.
//
// Launch: bias_gradient<<<ceil(columns / 256), 256>>>(dy, dbias, rows, columns)

__global__ void bias_gradient(const float* dy, float* dbias, int rows, int columns) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= columns) return;
  float sum = 0;
  for (int r = 0; r < rows; ++r) sum += dy[static_cast<long long>(r) * columns + c];
  dbias[c] = sum;
}
