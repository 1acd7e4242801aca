// out[t, c] = table[ids[t], c] for t < tokens and c < width. One warp copies one row, and its lanes follow the columns.
// Launch: embed<<<ceil(tokens / 8), (32, 8)>>>(table, ids, out, tokens, width)
__global__ void embed(const float* table, const int* ids, float* out, int tokens, int width) {
  int t = blockIdx.x * blockDim.y + threadIdx.y;
  if (t >= tokens) return;
  const float* from = table + static_cast<size_t>(ids[t]) * width;  // a large table has more than 2^31 elements
  float* to = out + static_cast<size_t>(t) * width;
  for (int c = threadIdx.x; c < width; c += 32) to[c] = from[c];
}
