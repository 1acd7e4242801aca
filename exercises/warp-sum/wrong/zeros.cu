// Writes only zeros.
// Launch: warp_sum<<<rows, 256>>>(x, out, rows, columns)
__global__ void warp_sum(const float* x, float* out, int rows, int columns) {
  if (threadIdx.x == 0) out[blockIdx.x] = 0;
}
