// Slow: one thread per token, so the lanes of a warp are in 32 different rows.
// Launch: embed<<<ceil(tokens / 128), 128>>>(table, ids, out, tokens, width)
__global__ void embed(const float* table, const int* ids, float* out, int tokens, int width) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= tokens) return;
  const float* from = table + static_cast<size_t>(ids[t]) * width;
  for (int c = 0; c < width; ++c) out[t * width + c] = from[c];
}
