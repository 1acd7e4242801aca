// Wrong: writes only zeros.
//
// Launch: rmsnorm<<<ceil(rows / WARPS), 32 * WARPS>>>(x, gamma, out, rows, epsilon)
#define WARPS 8

__global__ void rmsnorm(const float* x, const float* gamma, float* out, int rows, float epsilon) {
  int r = blockIdx.x * WARPS + threadIdx.x / 32;
  if (r < rows)
    for (int c = threadIdx.x % 32; c < 128; c += 32) out[r * 128 + c] = 0;
}
