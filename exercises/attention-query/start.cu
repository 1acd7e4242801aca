// out = softmax(q · kᵗ · scale) · v with a causal mask: the last query sees the last key.
// Launch: attention<<<(ceil(queries / 4), heads), 128>>>(q, k, v, out, queries, keys, scale)
constexpr int HEAD_DIM = 64;

__global__ void attention(const float* q, const float* k, const float* v, float* out, int queries, int keys,
                          float scale) {
  const int query = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x % 32, head = blockIdx.y;
  if (query >= queries) return;  // the whole warp
  // TODO: loop once over the keys that this query sees. Keep the largest score so far, the sum of the weights, and
  // the weighted sum of v; correct both sums when the maximum rises.
}
