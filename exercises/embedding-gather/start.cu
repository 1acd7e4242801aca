// out[t, c] = table[ids[t], c] for t < tokens and c < width.
// TODO: choose the grid and the blocks.
// Launch: embed<<<1, 256>>>(table, ids, out, tokens, width)
__global__ void embed(const float* table, const int* ids, float* out, int tokens, int width) {
  // TODO: which token and which columns does this thread own?
}
