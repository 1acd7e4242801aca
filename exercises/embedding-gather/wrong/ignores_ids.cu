// Wrong: copies row t of the table to token t.
// Launch: embed<<<ceil(tokens / 8), (32, 8)>>>(table, ids, out, tokens, width)
__global__ void embed(const float* table, const int* ids, float* out, int tokens, int width) {
  int t = blockIdx.x * blockDim.y + threadIdx.y;
  if (t >= tokens) return;
  for (int c = threadIdx.x; c < width; c += 32) out[t * width + c] = table[t * width + c];
}
