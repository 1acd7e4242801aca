// Correct, but all scores of a query lie in shared memory before the first weight is used.
// Launch: attention<<<(queries, heads), 32, 4 * keys>>>(q, k, v, out, queries, keys, scale)
__global__ void attention(const float* q, const float* k, const float* v, float* out, int queries, int keys,
                          float scale) {
  extern __shared__ float scores[];
  const int query = blockIdx.x, head = blockIdx.y, lane = threadIdx.x, visible = keys - queries + query + 1;
  q += (head * queries + query) * 64;
  k += head * keys * 64;
  v += head * keys * 64;
  float most = -1e30f, sum = 0, o[2] = {};
  for (int key = 0; key < visible; ++key) {
    float score = (q[lane] * k[key * 64 + lane] + q[32 + lane] * k[key * 64 + 32 + lane]) * scale;
    for (int distance = 16; distance > 0; distance /= 2) score += __shfl_xor_sync(0xffffffff, score, distance);
    most = fmaxf(most, score);
    if (lane == 0) scores[key] = score;
  }
  __syncwarp();
  for (int key = 0; key < visible; ++key) {
    const float weight = expf(scores[key] - most);
    sum += weight;
    o[0] += weight * v[key * 64 + lane];
    o[1] += weight * v[key * 64 + 32 + lane];
  }
  out += (head * queries + query) * 64;
  out[lane] = sum > 0 ? o[0] / sum : 0;
  out[32 + lane] = sum > 0 ? o[1] / sum : 0;
}
