// Wrong: the last block has no mask for the tokens.
// Launch: embed<<<ceil(tokens / 8), (32, 8)>>>(table, ids, out, tokens, width)
__global__ void embed(const float* table, const int* ids, float* out, int tokens, int width) {
  int t = blockIdx.x * blockDim.y + threadIdx.y;
  const float* from = table + static_cast<size_t>(ids[t]) * width;
  for (int c = threadIdx.x; c < width; c += 32) out[t * width + c] = from[c];
}
