// Slow: a warp reads the id again for every 16 columns of its row.
// Launch: embed<<<(ceil(width / 16), ceil(tokens / 8)), (16, 8)>>>(table, ids, out, tokens, width)
__global__ void embed(const float* table, const int* ids, float* out, int tokens, int width) {
  int t = blockIdx.y * blockDim.y + threadIdx.y, c = blockIdx.x * blockDim.x + threadIdx.x;
  if (t < tokens && c < width) out[t * width + c] = table[static_cast<size_t>(ids[t]) * width + c];
}
