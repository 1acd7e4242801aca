// Writes zeros everywhere.
// Launch: attention<<<(queries, heads), 64>>>(q, k, v, out, queries, keys, scale)
__global__ void attention(const float* q, const float* k, const float* v, float* out, int queries, int keys,
                          float scale) {
  out[(blockIdx.y * queries + blockIdx.x) * 64 + threadIdx.x] = 0;
}
