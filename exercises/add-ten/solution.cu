// out[i] = a[i] + 10 for i < n. One thread, one element.
// Launch: add_ten<<<ceil(n / 256), 256>>>(a, out, n)
__global__ void add_ten(const float* a, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = a[i] + 10;  // the last block has threads to spare
}
