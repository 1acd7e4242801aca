// Wrong: the spare threads of the last block read at negative indices and write past the end.
// Launch: reverse<<<ceil(n / 256), 256>>>(a, out, n)
__global__ void reverse(const float* a, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = a[n - 1 - i];
}
