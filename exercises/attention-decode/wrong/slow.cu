// Correct, but one block per head goes through all keys, as one part.
// Launch: attend_part<<<heads, 32>>>(q, k, v, out, keys, scale)
constexpr int HEAD_DIM = 64;
constexpr float LOWEST = -1e30f;  // below every score, and finite: LOWEST − LOWEST is 0, not NaN

// One warp: the online softmax over the keys of a part. Each lane has two neighbouring elements of q and of the result.
__global__ void attend_part(const float* q, const float* k, const float* v, float* out, int keys, float scale) {
  const int head = blockIdx.x, lane = threadIdx.x, begin = 0, end = keys;
  const long long first_row = static_cast<long long>(head) * keys;
  const float2* head_k = reinterpret_cast<const float2*>(k + first_row * HEAD_DIM);
  const float2* head_v = reinterpret_cast<const float2*>(v + first_row * HEAD_DIM);
  const float2 q_pair = reinterpret_cast<const float2*>(q + head * HEAD_DIM)[lane];

  float m = LOWEST, l = 0;  // the largest score so far, the sum of exp(score − m)
  float2 o = {0, 0};        // the sum of exp(score − m) · v
  for (int key = begin; key < end; ++key) {
    const float2 k_pair = head_k[key * (HEAD_DIM / 2) + lane], v_pair = head_v[key * (HEAD_DIM / 2) + lane];
    float score = (q_pair.x * k_pair.x + q_pair.y * k_pair.y) * scale;
    for (int distance = 16; distance > 0; distance /= 2) score += __shfl_xor_sync(0xffffffff, score, distance);
    const float new_m = fmaxf(m, score);
    const float rescale = expf(m - new_m), weight = expf(score - new_m);
    l = l * rescale + weight;
    o.x = o.x * rescale + weight * v_pair.x;
    o.y = o.y * rescale + weight * v_pair.y;
    m = new_m;
  }
  reinterpret_cast<float2*>(out + head * HEAD_DIM)[lane] = {o.x / l, o.y / l};
}
