// Wrong: the spare threads of the last block read and write past the end.
// Launch: vector_add<<<ceil(n / 256), 256>>>(a, b, out, n)
__global__ void vector_add(const float* a, const float* b, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = a[i] + b[i];
}
