// Launch: reference<<<ceil(n / 256), 256>>>(table, index, out, n)
__global__ void reference(const float* table, const int* index, double* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = table[index[i]];
}
