// Slow: the results are right, but x and r are read and added again when the norm is known.
//
// Launch: residual_rmsnorm<<<rows, BLOCK>>>(x, r, gamma, s, out, rows, columns, epsilon)
#define BLOCK 256

__device__ float sum_lanes(float mine) {
  for (int distance = 16; distance > 0; distance /= 2) mine += __shfl_xor_sync(0xffffffff, mine, distance);
  return mine;
}
// Each warp by itself, then every warp over the sums of all: one barrier, and every thread gets the result.
__device__ float sum_block(float mine) {
  __shared__ float per_warp[32];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  mine = sum_lanes(mine);
  if (lane == 0) per_warp[warp] = mine;
  __syncthreads();
  return sum_lanes(lane < BLOCK / 32 ? per_warp[lane] : 0);
}

__global__ void residual_rmsnorm(const float* x, const float* r, const float* gamma, float* s, float* out, int rows,
                                 int columns, float epsilon) {
  long long row = static_cast<long long>(blockIdx.x) * columns;
  float squares = 0;
  for (int c = threadIdx.x; c < columns; c += BLOCK) {
    float sum = x[row + c] + r[row + c];
    s[row + c] = sum;
    squares += sum * sum;
  }
  float scale = rsqrtf(sum_block(squares) / columns + epsilon);
  for (int c = threadIdx.x; c < columns; c += BLOCK) out[row + c] = (x[row + c] + r[row + c]) * scale * gamma[c];
}
