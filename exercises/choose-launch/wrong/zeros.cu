// Wrong: writes zeros everywhere.
// Launch: look_up<<<ceil(n / 512), 512>>>(table, index, out, n)
__global__ void look_up(const float* table, const int* index, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 0;
}
