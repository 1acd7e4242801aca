// Correct but slow: thread 0 does everything.
// Launch: block_scan<<<1, 32>>>(x, out, n)
__global__ void block_scan(const int* x, int* out, int n) {
  if (threadIdx.x != 0) return;
  int sum = 0;
  for (int i = 0; i < n; ++i) out[i] = sum += x[i];
}
