// Writes zeros everywhere.
// Launch: flash_attention<<<(queries, heads), 32>>>(q, k, v, out, queries, keys, scale)
__global__ void flash_attention(const float* q, const float* k, const float* v, float* out, int queries, int keys,
                                float scale) {
  out[(blockIdx.y * queries + blockIdx.x) * 32 + threadIdx.x] = 0;
}
