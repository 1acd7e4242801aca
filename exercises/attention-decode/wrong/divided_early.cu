// Each part divides by its own sum, and the merge takes the mean of the parts.
// Launch: attend_part<<<(parts, heads), 32>>>(q, k, v, part_max, part_sum, part_out, keys, parts, scale)
// Launch: merge_parts<<<heads, 64>>>(part_max, part_sum, part_out, out, parts)
constexpr int HEAD_DIM = 64;
constexpr float LOWEST = -1e30f;  // below every score, and finite: LOWEST − LOWEST is 0, not NaN

// One warp: the online softmax over the keys of a part. Each lane has two neighbouring elements of q and of the result.
__global__ void attend_part(const float* q, const float* k, const float* v, float* part_max, float* part_sum,
                            float* part_out, int keys, int parts, float scale) {
  const int part = blockIdx.x, head = blockIdx.y, lane = threadIdx.x;
  const int length = (keys + parts - 1) / parts;
  const int begin = part * length, end = min(keys, begin + length);  // begin ≥ end: this part has no keys
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
  const int index = head * parts + part;
  if (lane == 0) {
    part_max[index] = m;
    part_sum[index] = l;
  }
  reinterpret_cast<float2*>(part_out + index * HEAD_DIM)[lane] = {l > 0 ? o.x / l : 0, l > 0 ? o.y / l : 0};
}

// One thread per element of the result: the online softmax once more, over parts instead of keys.
__global__ void merge_parts(const float* part_max, const float* part_sum, const float* part_out, float* out,
                            int parts) {
  const int head = blockIdx.x, d = threadIdx.x;
  part_max += head * parts;
  part_sum += head * parts;
  part_out += head * parts * HEAD_DIM;
  float m = LOWEST, l = 0, o = 0;
  for (int part = 0; part < parts; ++part) {
    const float new_m = fmaxf(m, part_max[part]);
    const float rescale = expf(m - new_m), weight = expf(part_max[part] - new_m);
    l = l * rescale + weight;
    o = o * rescale + weight * part_out[part * HEAD_DIM + d];
    m = new_m;
  }
  out[head * HEAD_DIM + d] = o / l;  // there is at least one key
}
