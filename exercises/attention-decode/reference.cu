// One thread computes a head: the maximum of its scores first, then the weights.
// Launch: reference<<<heads, 1>>>(q, k, v, part_max, part_sum, part_out, out, keys, parts, scale)
__device__ double score_of(const float* q, const float* k, float scale) {
  double sum = 0;
  for (int d = 0; d < 64; ++d) sum += static_cast<double>(q[d]) * k[d];
  return sum * scale;
}

__global__ void reference(const float* q, const float* k, const float* v, float* part_max, float* part_sum,
                          float* part_out, double* out, int keys, int parts, float scale) {
  const int head = blockIdx.x;
  q += head * 64;
  k += head * keys * 64;
  v += head * keys * 64;
  out += head * 64;
  double most = -1e300, sum = 0;
  for (int key = 0; key < keys; ++key) most = fmax(most, score_of(q, k + key * 64, scale));
  for (int d = 0; d < 64; ++d) out[d] = 0;
  for (int key = 0; key < keys; ++key) {
    const double weight = exp(score_of(q, k + key * 64, scale) - most);
    sum += weight;
    for (int d = 0; d < 64; ++d) out[d] += weight * v[key * 64 + d];
  }
  for (int d = 0; d < 64; ++d) out[d] /= sum;
}
