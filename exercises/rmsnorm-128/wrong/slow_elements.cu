// Slow: the results are right, but a lane loads its 4 elements one by one, 32 columns apart.
//
// Launch: rmsnorm<<<ceil(rows / WARPS), 32 * WARPS>>>(x, gamma, out, rows, epsilon)
#define WARPS 8
#define COLUMNS 128

// Every lane gets the sum over the warp.
__device__ float sum_lanes(float mine) {
  for (int distance = 16; distance > 0; distance /= 2) mine += __shfl_xor_sync(0xffffffff, mine, distance);
  return mine;
}

__global__ void rmsnorm(const float* x, const float* gamma, float* out, int rows, float epsilon) {
  int lane = threadIdx.x % 32;
  int r = blockIdx.x * WARPS + threadIdx.x / 32;
  if (r >= rows) return;  // a whole warp leaves, so every shuffle has its 32 lanes
  const float* row = x + static_cast<long long>(r) * COLUMNS;
  float value[4], squares = 0;
  for (int k = 0; k < 4; ++k) {
    value[k] = row[k * 32 + lane];
    squares += value[k] * value[k];
  }
  float scale = rsqrtf(sum_lanes(squares) / COLUMNS + epsilon);
  for (int k = 0; k < 4; ++k) out[r * COLUMNS + k * 32 + lane] = value[k] * scale * gamma[k * 32 + lane];
}
