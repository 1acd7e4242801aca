// out[r] = the sum of row r of x (rows × columns, row-major). A warp has a row.
// Launch: row_sum<<<ceil(rows / WARPS), BLOCK>>>(x, out, rows, columns)
constexpr int BLOCK = 256, WARPS = BLOCK / 32;

__global__ void row_sum(const float* x, float* out, int rows, int columns) {
  const int lane = threadIdx.x % 32;
  const int r = 0;  // TODO: the row of this warp, if there is one
  float sum = 0;
  // TODO: the lanes share the row
  // TODO: shuffles
  if (blockIdx.x == 0 && threadIdx.x == 0) out[r] = sum;
}
