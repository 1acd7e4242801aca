// Correct, but each warp reads all keys for a single query.
// Launch: flash_attention<<<(ceil(queries / 4), heads), 128>>>(q, k, v, out, queries, keys, scale)
constexpr int HEAD_DIM = 32;
constexpr float LOWEST = -1e30f;  // below every score, and finite: LOWEST − LOWEST is 0, not NaN

__global__ void flash_attention(const float* q, const float* k, const float* v, float* out, int queries, int keys,
                                float scale) {
  const int query = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x % 32, head = blockIdx.y;
  if (query >= queries) return;  // the whole warp
  const long long q_row = static_cast<long long>(head) * queries + query, k_row = static_cast<long long>(head) * keys;
  const float* head_k = k + k_row * HEAD_DIM;
  const float* head_v = v + k_row * HEAD_DIM;
  const float q_element = q[q_row * HEAD_DIM + lane];

  float m = LOWEST, l = 0;  // the largest score so far, the sum of exp(score − m)
  float o = 0;
  const int visible = keys - queries + query + 1;
  for (int key = 0; key < visible; ++key) {
    const float k_element = head_k[key * HEAD_DIM + lane], v_element = head_v[key * HEAD_DIM + lane];
    float score = q_element * k_element * scale;
    for (int distance = 16; distance > 0; distance /= 2) score += __shfl_xor_sync(0xffffffff, score, distance);
    const float new_m = fmaxf(m, score);
    const float rescale = expf(m - new_m), weight = expf(score - new_m);
    l = l * rescale + weight;
    o = o * rescale + weight * v_element;
    m = new_m;
  }
  const float factor = l > 0 ? 1 / l : 0;  // a query that sees no key gets zeros
  out[q_row * HEAD_DIM + lane] = o * factor;
}
