// Correct, but each lane reads a key of its own: 32 rows of k in one request.
// Launch: attend_part<<<(parts, heads), 32>>>(q, k, v, part_max, part_sum, part_out, keys, parts, scale)
// Launch: merge_parts<<<heads, 64>>>(part_max, part_sum, part_out, out, parts)
constexpr int HEAD_DIM = 64;
constexpr float LOWEST = -1e30f;  // below every score, and finite: LOWEST − LOWEST is 0, not NaN

__global__ void attend_part(const float* q, const float* k, const float* v, float* part_max, float* part_sum,
                            float* part_out, int keys, int parts, float scale) {
  const int part = blockIdx.x, head = blockIdx.y, lane = threadIdx.x;
  const int length = (keys + parts - 1) / parts;
  const int begin = part * length, end = min(keys, begin + length);  // begin ≥ end: this part has no keys
  const long long first_row = static_cast<long long>(head) * keys;
  const float *head_k = k + first_row * HEAD_DIM, *head_v = v + first_row * HEAD_DIM;
  __shared__ float weights[32];
  float m = LOWEST, l = 0;
  float2 o = {0, 0};
  for (int first = begin; first < end; first += 32) {
    const int key = first + lane;
    float score = 0;
    for (int d = 0; d < HEAD_DIM && key < end; ++d) score += q[head * HEAD_DIM + d] * head_k[key * HEAD_DIM + d];
    score = key < end ? score * scale : LOWEST;
    float new_m = fmaxf(m, score);
    for (int distance = 16; distance > 0; distance /= 2)
      new_m = fmaxf(new_m, __shfl_xor_sync(0xffffffff, new_m, distance));
    weights[lane] = key < end ? expf(score - new_m) : 0;
    __syncwarp();
    const float rescale = expf(m - new_m);
    l *= rescale;
    o.x *= rescale;
    o.y *= rescale;
    for (int i = 0; i < min(32, end - first); ++i) {
      l += weights[i];
      o.x += weights[i] * head_v[(first + i) * HEAD_DIM + 2 * lane];
      o.y += weights[i] * head_v[(first + i) * HEAD_DIM + 2 * lane + 1];
    }
    __syncwarp();
    m = new_m;
  }
  const int index = head * parts + part;
  if (lane == 0) {
    part_max[index] = m;
    part_sum[index] = l;
  }
  reinterpret_cast<float2*>(part_out + index * HEAD_DIM)[lane] = o;
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
    l = l * rescale + weight * part_sum[part];
    o = o * rescale + weight * part_out[part * HEAD_DIM + d];
    m = new_m;
  }
  out[head * HEAD_DIM + d] = o / l;  // there is at least one key
}
