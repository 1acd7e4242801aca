// Does not subtract a maximum: exp overflows for large scores.
// Launch: attention<<<(ceil(queries / 4), heads), 128>>>(q, k, v, out, queries, keys, scale)
constexpr int HEAD_DIM = 64;
constexpr float LOWEST = -1e30f;  // below every score, and finite: LOWEST − LOWEST is 0, not NaN

__global__ void attention(const float* q, const float* k, const float* v, float* out, int queries, int keys,
                          float scale) {
  const int query = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x % 32, head = blockIdx.y;
  if (query >= queries) return;  // the whole warp
  const long long q_row = static_cast<long long>(head) * queries + query, k_row = static_cast<long long>(head) * keys;
  const float2* head_k = reinterpret_cast<const float2*>(k + k_row * HEAD_DIM);
  const float2* head_v = reinterpret_cast<const float2*>(v + k_row * HEAD_DIM);
  const float2 q_pair = reinterpret_cast<const float2*>(q + q_row * HEAD_DIM)[lane];

  float m = 0, l = 0;  // the largest score so far, the sum of exp(score − m)
  float2 o = {0, 0};   // the sum of exp(score − m) · v
  const int visible = keys - queries + query + 1;
  for (int key = 0; key < visible; ++key) {
    const float2 k_pair = head_k[key * (HEAD_DIM / 2) + lane], v_pair = head_v[key * (HEAD_DIM / 2) + lane];
    float score = (q_pair.x * k_pair.x + q_pair.y * k_pair.y) * scale;
    for (int distance = 16; distance > 0; distance /= 2) score += __shfl_xor_sync(0xffffffff, score, distance);
    const float new_m = 0;
    const float rescale = expf(m - new_m), weight = expf(score - new_m);
    l = l * rescale + weight;
    o.x = o.x * rescale + weight * v_pair.x;
    o.y = o.y * rescale + weight * v_pair.y;
    m = new_m;
  }
  const float factor = l > 0 ? 1 / l : 0;  // a query that sees no key gets zeros
  reinterpret_cast<float2*>(out + q_row * HEAD_DIM)[lane] = {o.x * factor, o.y * factor};
}
