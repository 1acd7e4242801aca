// One thread computes a query: the maximum of its scores first, then the weights.
// Launch: reference<<<(ceil(queries / 32), heads), 32>>>(q, k, v, out, queries, keys, scale)
__device__ double score_of(const float* q, const float* k, float scale) {
  double sum = 0;
  for (int d = 0; d < 64; ++d) sum += static_cast<double>(q[d]) * k[d];
  return sum * scale;
}

__global__ void reference(const float* q, const float* k, const float* v, double* out, int queries, int keys,
                          float scale) {
  const int head = blockIdx.y, query = blockIdx.x * blockDim.x + threadIdx.x, visible = keys - queries + query + 1;
  if (query >= queries) return;
  q += (head * queries + query) * 64;
  k += head * keys * 64;
  v += head * keys * 64;
  out += (head * queries + query) * 64;
  double most = -1e300, sum = 0;
  for (int key = 0; key < visible; ++key) most = fmax(most, score_of(q, k + key * 64, scale));
  for (int d = 0; d < 64; ++d) out[d] = 0;
  for (int key = 0; key < visible; ++key) {
    const double weight = exp(score_of(q, k + key * 64, scale) - most);
    sum += weight;
    for (int d = 0; d < 64; ++d) out[d] += weight * v[key * 64 + d];
  }
  for (int d = 0; d < 64 && sum > 0; ++d) out[d] /= sum;
}
