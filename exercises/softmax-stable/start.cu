// Softmax of every row: out[r][c] = exp(x[r][c] - maximum of row r) / sum over row r of exp(x[r][j] - maximum).
//
// Launch: softmax<<<rows, BLOCK>>>(x, out, rows, columns)
#define BLOCK 256

__global__ void softmax(const float* x, float* out, int rows, int columns) {
  const float* row = x + blockIdx.x * columns;
  float* to = out + blockIdx.x * columns;
  // TODO: three passes over the row. The threads of the block must agree on the maximum, and then on the sum.
  for (int c = threadIdx.x; c < columns; c += BLOCK) to[c] = expf(row[c]);
}
