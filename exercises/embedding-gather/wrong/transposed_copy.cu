// Slow: reads rows of 32 tokens along their columns into a tile, and then writes the tile down its columns.
// Launch: embed<<<ceil(tokens / 32), (32, 8)>>>(table, ids, out, tokens, width)
__global__ void embed(const float* table, const int* ids, float* out, int tokens, int width) {
  __shared__ float tile[32][33];
  int first = blockIdx.x * 32;
  for (int left = 0; left < width; left += 32) {
    for (int j = threadIdx.y; j < 32; j += 8) {
      int t = first + j, c = left + threadIdx.x;
      if (t < tokens && c < width) tile[j][threadIdx.x] = table[static_cast<size_t>(ids[t]) * width + c];
    }
    __syncthreads();
    for (int j = threadIdx.y; j < 32; j += 8) {
      int t = first + threadIdx.x, c = left + j;
      if (t < tokens && c < width) out[t * width + c] = tile[threadIdx.x][j];
    }
    __syncthreads();
  }
}
