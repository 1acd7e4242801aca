// out[r][c] = x[r][0] + … + x[r][c]. A block has a row and passes over it in chunks.
// Launch: row_cumsum<<<rows, BLOCK>>>(x, out, rows, columns)
constexpr int BLOCK = 1024;

__global__ void row_cumsum(const float* x, float* out, int rows, int columns) {
  const float* row = x + blockIdx.x * columns;
  float* to = out + blockIdx.x * columns;
  float carry = 0;  // the sum of all chunks before
  for (int start = 0; start < columns; start += BLOCK) {
    const int c = start + threadIdx.x;
    float sum = c < columns ? row[c] : 0;
    // TODO: the prefix sum of this chunk, and the next carry
    if (c < columns) to[c] = carry + sum;
  }
}
