// s = x + r, and out = s / sqrt(mean of s² over its row + epsilon) · gamma.
// A block has a row, and its threads keep the sums in registers until the norm is known.
//
// Launch: residual_rmsnorm<<<rows, BLOCK>>>(x, r, gamma, s, out, rows, columns, epsilon)
#define BLOCK 256
#define HELD 4  // sums of a thread: rows have up to BLOCK · HELD columns

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
  float held[HELD], squares = 0;
#pragma unroll  // registers have no addresses: every index of `held` must be a constant
  for (int k = 0; k < HELD; ++k) {
    int c = k * BLOCK + threadIdx.x;
    held[k] = 0;
    if (c < columns) {
      held[k] = x[row + c] + r[row + c];
      s[row + c] = held[k];
    }
    squares += held[k] * held[k];
  }

  float scale = rsqrtf(sum_block(squares) / columns + epsilon);
#pragma unroll
  for (int k = 0; k < HELD; ++k) {
    int c = k * BLOCK + threadIdx.x;
    if (c < columns) out[row + c] = held[k] * scale * gamma[c];
  }
}
