// Launch: reference<<<(ceil(width / 256), tokens), 256>>>(table, ids, out, tokens, width)
__global__ void reference(const float* table, const int* ids, double* out, int tokens, int width) {
  int t = blockIdx.y, c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c < width) out[t * width + c] = table[ids[t] * width + c];
}
