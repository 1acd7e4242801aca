// One column per thread, in double precision.
//
// Launch: reference<<<ceil(columns / 256), 256>>>(dy, dbias, rows, columns)

__global__ void reference(const float* dy, double* dbias, int rows, int columns) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= columns) return;
  double sum = 0;
  for (int r = 0; r < rows; ++r) sum += dy[r * columns + c];
  dbias[c] = sum;
}
