// RMSNorm of rows of 128 floats: out[r][c] = x[r][c] / sqrt(mean over row r of x² + epsilon) · gamma[c].
//
// Launch: rmsnorm<<<ceil(rows / WARPS), 32 * WARPS>>>(x, gamma, out, rows, epsilon)
#define WARPS 8
#define COLUMNS 128

__global__ void rmsnorm(const float* x, const float* gamma, float* out, int rows, float epsilon) {
  int lane = threadIdx.x % 32;
  int r = blockIdx.x * WARPS + threadIdx.x / 32;
  if (r >= rows) return;
  // TODO: four neighbours for each lane as one float4, the sum of the row by shuffles.
  for (int c = lane; c < COLUMNS; c += 32) out[r * COLUMNS + c] = x[r * COLUMNS + c] * gamma[c];
}
