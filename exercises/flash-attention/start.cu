// out = softmax(q · kᵗ · scale) · v with a causal mask: the last query sees the last key.
// Launch: flash_attention<<<(ceil(queries / TILE), heads), 256>>>(q, k, v, out, queries, keys, scale)
constexpr int HEAD_DIM = 32;
constexpr int TILE = 32;  // queries of a block, and keys of a step

__global__ void flash_attention(const float* q, const float* k, const float* v, float* out, int queries, int keys,
                                float scale) {
  __shared__ float q_tile[TILE][HEAD_DIM];
  __shared__ float k_tile[TILE][HEAD_DIM];
  __shared__ float v_tile[TILE][HEAD_DIM];
  const int first_query = blockIdx.x * TILE, head = blockIdx.y;
  // TODO: load the tile of q. Then loop over tiles of keys, as far as the last query of this tile sees: scores, the
  // new maximum of each row, weights, the correction of what was added up, and weights · v.
}
