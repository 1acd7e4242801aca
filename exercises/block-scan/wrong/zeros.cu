// Writes only zeros.
// Launch: block_scan<<<1, 1024>>>(x, out, n)
__global__ void block_scan(const int* x, int* out, int n) {
  if (threadIdx.x < n) out[threadIdx.x] = 0;
}
