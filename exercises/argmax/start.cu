// out[r] = the column of the largest score in row r of x (rows × columns, row-major), the smallest on ties.
// Launch: argmax<<<rows, BLOCK>>>(x, out, rows, columns)
constexpr int BLOCK = 256;

__global__ void argmax(const int* x, int* out, int rows, int columns) {
  const int* row = x + blockIdx.x * columns;
  int score = row[0], column = 0;
  // TODO: each thread looks at its elements
  // TODO: the block finds the best of its threads; mind ties
  if (threadIdx.x == 0) out[blockIdx.x] = column;
}
