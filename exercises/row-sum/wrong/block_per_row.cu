// Correct but slow: a block for each row, with a barrier.
// Launch: row_sum<<<rows, BLOCK>>>(x, out, rows, columns)
constexpr int BLOCK = 64;

__global__ void row_sum(const float* x, float* out, int rows, int columns) {
  __shared__ float per_warp[2];
  const int r = blockIdx.x, lane = threadIdx.x % 32;
  float sum = 0;
  for (int c = threadIdx.x; c < columns; c += BLOCK) sum += x[r * columns + c];
  for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_down_sync(0xffffffff, sum, distance);
  if (lane == 0) per_warp[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x == 0) out[r] = per_warp[0] + per_warp[1];
}
