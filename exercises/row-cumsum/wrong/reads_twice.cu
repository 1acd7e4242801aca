// Correct but slow: each chunk is read twice, once for the carry of the next chunk and once for its prefix sums.
// Launch: row_cumsum<<<rows, BLOCK>>>(x, out, rows, columns)
constexpr int BLOCK = 1024, WARPS = BLOCK / 32, CHUNKS = 16;

__device__ float scan_of_lanes(float value) {
  const int lane = threadIdx.x % 32;
  for (int distance = 1; distance < 32; distance *= 2) {
    const float below = __shfl_up_sync(0xffffffff, value, distance);
    if (lane >= distance) value += below;
  }
  return value;
}

__global__ void row_cumsum(const float* x, float* out, int rows, int columns) {
  __shared__ float sums[CHUNKS * WARPS];  // of every 32 elements of the row
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const float* row = x + blockIdx.x * columns;
  float* to = out + blockIdx.x * columns;
  for (int start = 0; start < columns; start += BLOCK) {
    const int c = start + threadIdx.x;
    const float sum = scan_of_lanes(c < columns ? row[c] : 0);
    if (lane == 31) sums[c / 32] = sum;
  }
  __syncthreads();
  if (warp == 0) {
    float carry = 0;
    for (int first = 0; first * 32 < columns; first += 32) {
      const float sum = carry + scan_of_lanes(sums[first + lane]);
      sums[first + lane] = sum;
      carry = __shfl_sync(0xffffffff, sum, 31);
    }
  }
  __syncthreads();
  for (int start = 0; start < columns; start += BLOCK) {
    const int c = start + threadIdx.x;
    float sum = scan_of_lanes(c < columns ? row[c] : 0);
    if (c >= 32) sum += sums[c / 32 - 1];
    if (c < columns) to[c] = sum;
  }
}
