// Wrong: writes zeros everywhere.
// Launch: embed<<<ceil(tokens * width / 256), 256>>>(table, ids, out, tokens, width)
__global__ void embed(const float* table, const int* ids, float* out, int tokens, int width) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < tokens * width) out[i] = 0;
}
