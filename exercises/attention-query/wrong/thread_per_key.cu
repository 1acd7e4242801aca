// Correct, but one thread per key: each lane reads a row of k of its own, and the scores meet in shared memory.
// Launch: attention<<<(queries, heads), 32>>>(q, k, v, out, queries, keys, scale)
__global__ void attention(const float* q, const float* k, const float* v, float* out, int queries, int keys,
                          float scale) {
  __shared__ float weights[32];
  const int query = blockIdx.x, head = blockIdx.y, lane = threadIdx.x, visible = keys - queries + query + 1;
  q += (head * queries + query) * 64;
  k += head * keys * 64;
  v += head * keys * 64;
  float m = -1e30f, l = 0, o[2] = {};
  for (int first = 0; first < visible; first += 32) {
    const int key = first + lane;
    float score = -1e30f;
    if (key < visible) {
      score = 0;
      for (int d = 0; d < 64; ++d) score += q[d] * k[key * 64 + d];
      score *= scale;
    }
    float new_m = fmaxf(m, score);
    for (int distance = 16; distance > 0; distance /= 2)
      new_m = fmaxf(new_m, __shfl_xor_sync(0xffffffff, new_m, distance));
    weights[lane] = key < visible ? expf(score - new_m) : 0;
    __syncwarp();
    const float rescale = expf(m - new_m);
    l *= rescale;
    o[0] *= rescale;
    o[1] *= rescale;
    for (int i = 0; i < min(32, visible - first); ++i) {
      l += weights[i];
      o[0] += weights[i] * v[(first + i) * 64 + lane];
      o[1] += weights[i] * v[(first + i) * 64 + 32 + lane];
    }
    __syncwarp();
    m = new_m;
  }
  out += (head * queries + query) * 64;
  out[lane] = l > 0 ? o[0] / l : 0;
  out[32 + lane] = l > 0 ? o[1] / l : 0;
}
