// The backward pass of attention. With S = Q · K^T · scale, P = exp(S - lse), and dO the gradient of O:
//   dV = P^T · dO        dP = dO · V^T        dS = P ∘ (dP - rowsum(dO ∘ O))
//   dQ = dS · K · scale        dK = dS^T · Q · scale
// P is recomputed from lse: nothing of size queries × keys is ever stored. dK and dV of a head are summed over the
// `group` heads of Q that share it.
//
// BLOCK_N  keys of a CTA of the tensor-core kernel, 16 for each warp
#include "attention.cuh"

/// Heads of Q are numbered through the whole batch; head h belongs to head h / group of K and V.
struct Sizes {
  int group, queries, keys;
  float scale;
};
__device__ inline long long query_row(int head, int query, const Sizes& sizes) {
  return static_cast<long long>(head) * sizes.queries + query;
}
__device__ inline long long key_row(int kv_head, int key, const Sizes& sizes) {
  return static_cast<long long>(kv_head) * sizes.keys + key;
}

// ---- In fp32: a warp for each row.

struct Row {
  float value[D / 32] = {};  // a lane's share of the D columns
  __device__ void load(const Element* matrix, long long row) {
    for (int i = 0; i < D / 32; ++i) value[i] = to_float(matrix[row * D + threadIdx.x % 32 + 32 * i]);
  }
  __device__ void store(Element* matrix, long long row, float factor) const {
    for (int i = 0; i < D / 32; ++i)
      matrix[row * D + threadIdx.x % 32 + 32 * i] = static_cast<Element>(value[i] * factor);
  }
  __device__ void add(float factor, const Row& other) {
    for (int i = 0; i < D / 32; ++i) value[i] += factor * other.value[i];
  }
};
__device__ inline float dot(const Row& a, const Row& b) {
  float sum = 0;
  for (int i = 0; i < D / 32; ++i) sum += a.value[i] * b.value[i];
  for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_xor_sync(0xffffffff, sum, distance);
  return sum;
}
/// A row's sum of dO ∘ O, which the backward pass of softmax subtracts from that row of dP.
__device__ inline float sum_of_products(const Row& d_o, const Row& o) { return dot(d_o, o); }

extern "C" __global__ void row_sums(const Element* o, const Element* d_o, float* sums, int rows) {
  const int row = blockIdx.x * 4 + threadIdx.x / 32;
  if (row >= rows) return;  // the whole warp
  Row o_row, d_o_row;
  o_row.load(o, row);
  d_o_row.load(d_o, row);
  const float sum = sum_of_products(d_o_row, o_row);
  if (threadIdx.x % 32 == 0) sums[row] = sum;
}

// dQ: a warp has a query and loops over the keys that it sees.
extern "C" __global__ void gradients_of_queries(const Element* q, const Element* k, const Element* v,
                                                const Element* d_o, const float* lse, const float* sums, Element* dq,
                                                int rows, Sizes sizes) {
  const int row = blockIdx.x * 4 + threadIdx.x / 32;
  if (row >= rows) return;
  const int kv_head = row / sizes.queries / sizes.group;
  Row q_row, d_o_row, k_row, v_row, dq_row;
  q_row.load(q, row);
  d_o_row.load(d_o, row);
  const int visible = visible_keys(row % sizes.queries, sizes.queries, sizes.keys);
  for (int key = 0; key < visible; ++key) {
    k_row.load(k, key_row(kv_head, key, sizes));
    v_row.load(v, key_row(kv_head, key, sizes));
    const float p = ex2_approx((dot(q_row, k_row) * sizes.scale - lse[row]) * LOG2_E);
    dq_row.add(p * (dot(d_o_row, v_row) - sums[row]), k_row);
  }
  dq_row.store(dq, row, sizes.scale);
}

// dK and dV: a warp has a key and loops over the queries that see it, in all heads of the group.
extern "C" __global__ void gradients_of_keys(const Element* q, const Element* k, const Element* v, const Element* d_o,
                                             const float* lse, const float* sums, Element* dk, Element* dv, int rows,
                                             Sizes sizes) {
  const int row = blockIdx.x * 4 + threadIdx.x / 32;
  if (row >= rows) return;
  const int kv_head = row / sizes.keys, key = row % sizes.keys;
  Row q_row, d_o_row, k_row, v_row, dk_row, dv_row;
  k_row.load(k, row);
  v_row.load(v, row);
  const int first = CAUSAL ? max(0, key - (sizes.keys - sizes.queries)) : 0;
  for (int head = kv_head * sizes.group; head < (kv_head + 1) * sizes.group; ++head)
    for (int query = first; query < sizes.queries; ++query) {
      const long long row_of_q = query_row(head, query, sizes);
      q_row.load(q, row_of_q);
      d_o_row.load(d_o, row_of_q);
      const float p = ex2_approx((dot(q_row, k_row) * sizes.scale - lse[row_of_q]) * LOG2_E);
      dv_row.add(p, d_o_row);
      dk_row.add(p * (dot(d_o_row, v_row) - sums[row_of_q]), q_row);
    }
  dk_row.store(dk, row, sizes.scale);
  dv_row.store(dv, row, 1);
}

// ---- On the tensor cores. A CTA has BLOCK_N keys and loops over the queries, BLOCK_M at a time. It computes the
// *transposes* of S and dP: a warp has 16 keys as rows, so that its accumulators are, packed, the A fragments of
// P^T · dO and dS^T · Q, and dK and dV stay in registers from the first query to the last.

constexpr int BLOCK_M = 64;  // queries of a step
constexpr int WARPS = BLOCK_N / 16, THREADS = 32 * WARPS;
constexpr int MIN_CTAS = D == 64 && BLOCK_N == 64 ? 3 : 1;  // on an SM: it bounds the registers
constexpr int KEY_BYTES = BLOCK_N * ROW_BYTES, QUERY_BYTES = BLOCK_M * ROW_BYTES;
// A stage holds Q and dO, BLOCK_M × D each, then lse and row sums, 2 × BLOCK_M floats.
constexpr int INFO_BYTES = BLOCK_M * 8;
constexpr int STAGE_BYTES = 2 * QUERY_BYTES + INFO_BYTES;
// The warps share dQ's tile of BLOCK_M × D: each has DQ_TILES × 16 queries and DQ_COLUMNS of the D columns.
constexpr int DQ_SPLIT = WARPS > BLOCK_M / 16 ? WARPS * 16 / BLOCK_M : 1;  // warps side by side
constexpr int DQ_TILES = BLOCK_M / 16 * DQ_SPLIT / WARPS, DQ_COLUMNS = D / DQ_SPLIT;

/// Byte offset of a chunk of dS^T in shared memory, BLOCK_N × BLOCK_M, swizzled.
__device__ inline unsigned ds_offset(unsigned key, unsigned chunk) {
  return key * BLOCK_M * 2 + (chunk ^ key % 8) * 16;
}

// For each query lse · log2(e) and the row sum of dO ∘ O, in tiles of 2 × BLOCK_M floats, so that a tile is copied 16
// bytes at a time. Past the end, and for queries that see no key, lse becomes plus infinity: then P is 0. The sums of
// dQ start at zero.
extern "C" __global__ void prepare_rows(const Element* o, const Element* d_o, const float* lse, float* info,
                                        float4* dq_sums, int padded, Sizes sizes) {
  const int query = blockIdx.x * 4 + threadIdx.x / 32, head = blockIdx.y, lane = threadIdx.x % 32;
  if (query >= padded) return;
  float query_lse = __int_as_float(0x7f800000), sum = 0;
  if (query < sizes.queries) {
    const long long row = query_row(head, query, sizes);
    Row o_row, d_o_row;
    o_row.load(o, row);
    d_o_row.load(d_o, row);
    sum = sum_of_products(d_o_row, o_row);
    if (lse[row] > LOWEST) query_lse = lse[row] * LOG2_E;
  }
  const long long row = static_cast<long long>(head) * padded + query;
  float* tile_info = info + (row / BLOCK_M * 2) * BLOCK_M + row % BLOCK_M;
  if (lane == 0) {
    tile_info[0] = query_lse;
    tile_info[BLOCK_M] = sum;
  }
  if (lane < D / 4) dq_sums[row * (D / 4) + lane] = make_float4(0, 0, 0, 0);
}

/// The first tile of queries that see one of the keys from `first_key` on.
__device__ inline int first_visible_tile(int first_key, int all_tiles, const Sizes& sizes) {
  return CAUSAL ? min(all_tiles, max(0, first_key - (sizes.keys - sizes.queries)) / BLOCK_M) : 0;
}

using Accumulators = float[BLOCK_M / 8][4];    // a lane's share of 16 keys × BLOCK_M queries
using AFragments = unsigned[BLOCK_M / 16][4];  // the same, packed
using Gradient = float[D / 8][4];              // a lane's share of 16 keys × D

/// acc = a · b^T: a is 16 × D, b is BLOCK_M × D.
__device__ inline void multiply_rows(Accumulators& acc, unsigned a_address, unsigned b_address) {
#pragma unroll
  for (int n = 0; n < BLOCK_M / 8; ++n)
#pragma unroll
    for (int e = 0; e < 4; ++e) acc[n][e] = 0;
#pragma unroll
  for (int d = 0; d < D / 16; ++d) {
    unsigned a_frag[4], b_frag[4];  // 16 × 16 each
    ldmatrix_x4(a_frag, a_address ^ d * 32);
#pragma unroll
    for (int n = 0; n < BLOCK_M / 16; ++n) {
      ldmatrix_x4(b_frag, (b_address ^ d * 32) + n * 16 * ROW_BYTES);
      mma_elements(acc[2 * n], a_frag, b_frag[0], b_frag[1]);
      mma_elements(acc[2 * n + 1], a_frag, b_frag[2], b_frag[3]);
    }
  }
}

/// gradient += a · b: a is 16 × BLOCK_M, b is BLOCK_M × D.
__device__ inline void add_product(Gradient& gradient, const AFragments& a_frag, unsigned b_address) {
#pragma unroll
  for (int n = 0; n < BLOCK_M / 16; ++n)
#pragma unroll
    for (int d = 0; d < D / 16; ++d) {
      unsigned b_frag[4];  // 16 queries × 16
      ldmatrix_x4_trans(b_frag, (b_address ^ d * 32) + n * 16 * ROW_BYTES);
      mma_elements(gradient[2 * d], a_frag[n], b_frag[0], b_frag[1]);
      mma_elements(gradient[2 * d + 1], a_frag[n], b_frag[2], b_frag[3]);
    }
}

/// Two neighbouring accumulators of 16 × 8 are, packed, an A fragment of 16 × 16.
__device__ inline void pack(AFragments& a_frag, const Accumulators& acc) {
#pragma unroll
  for (int n = 0; n < BLOCK_M / 16; ++n)
#pragma unroll
    for (int e = 0; e < 4; ++e)
      a_frag[n][e] = pack_two(acc[2 * n + e / 2][e % 2 * 2], acc[2 * n + e / 2][e % 2 * 2 + 1]);
}

/// S becomes P = exp2(S - lse). Queries are columns here: `info` points to the lane's first query.
__device__ inline void exponentiate(Accumulators& s, const char* info, float scale_log2) {
#pragma unroll
  for (int n = 0; n < BLOCK_M / 8; ++n) {
    const float2 lse = *reinterpret_cast<const float2*>(info + n * 32);
    s[n][0] = ex2_approx(s[n][0] * scale_log2 - lse.x);
    s[n][1] = ex2_approx(s[n][1] * scale_log2 - lse.y);
    s[n][2] = ex2_approx(s[n][2] * scale_log2 - lse.x);
    s[n][3] = ex2_approx(s[n][3] * scale_log2 - lse.y);
  }
}
/// P becomes zero where a query does not see the key. `query` and `key` are the lane's first ones.
__device__ inline void mask(Accumulators& p, int query, int key, const Sizes& sizes) {
#pragma unroll
  for (int n = 0; n < BLOCK_M / 8; ++n)
#pragma unroll
    for (int e = 0; e < 4; ++e)
      if (key + e / 2 * 8 >= visible_keys(query + n * 8 + e % 2, sizes.queries, sizes.keys)) p[n][e] = 0;
}
/// dP becomes dS = P ∘ (dP - sum).
__device__ inline void differentiate(Accumulators& dp, const Accumulators& p, const char* info) {
#pragma unroll
  for (int n = 0; n < BLOCK_M / 8; ++n) {
    const float2 sum = *reinterpret_cast<const float2*>(info + BLOCK_M * 4 + n * 32);
    dp[n][0] = p[n][0] * (dp[n][0] - sum.x);
    dp[n][1] = p[n][1] * (dp[n][1] - sum.y);
    dp[n][2] = p[n][2] * (dp[n][2] - sum.x);
    dp[n][3] = p[n][3] * (dp[n][3] - sum.y);
  }
}

/// First row and column of a warp's part of dQ's tile.
__device__ inline int dq_first_row() { return threadIdx.x / 32 / DQ_SPLIT * DQ_TILES * 16; }
__device__ inline int dq_first_column() { return threadIdx.x / 32 % DQ_SPLIT * DQ_COLUMNS; }
/// Index of an accumulator among the sums of dQ. They are stored in the order of the accumulators, so that the 32 lanes
/// of an instruction access 128 contiguous bytes.
__device__ inline long long dq_index(long long tile, int t, int n, int e) {
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  return ((tile * WARPS + warp) * (DQ_TILES * DQ_COLUMNS / 8) + t * (DQ_COLUMNS / 8) + n) * 128 + e * 32 + lane;
}

/// Adds dS · K over this CTA's keys to the sums of dQ. Other CTAs add theirs, in any order.
__device__ inline void add_to_dq(float* dq_sums, long long tile, unsigned ds_tile, unsigned k_tile) {
  const unsigned lane = threadIdx.x % 32, key = lane / 16 * 8 + lane % 8, chunk = dq_first_row() / 8 + lane / 8 % 2;
  const unsigned k_address = k_tile + swizzled_offset(lane % 16, dq_first_column() / 8 + lane / 16);
#pragma unroll
  for (int t = 0; t < DQ_TILES; ++t) {
    const unsigned ds_address = ds_tile + ds_offset(key, chunk + t * 2);
    float dq[DQ_COLUMNS / 8][4] = {};  // a lane's share of 16 queries × DQ_COLUMNS
#pragma unroll 2                       // unrolled further, ptxas loads so far ahead that registers spill
    for (int n = 0; n < BLOCK_N / 16; ++n) {
      unsigned ds_frag[4], k_frag[4];  // 16 queries × 16 keys, 16 keys × 16
      ldmatrix_x4_trans(ds_frag, ds_address + n * 16 * BLOCK_M * 2);
#pragma unroll
      for (int d = 0; d < DQ_COLUMNS / 16; ++d) {
        ldmatrix_x4_trans(k_frag, (k_address ^ d * 32) + n * 16 * ROW_BYTES);
        mma_elements(dq[2 * d], ds_frag, k_frag[0], k_frag[1]);
        mma_elements(dq[2 * d + 1], ds_frag, k_frag[2], k_frag[3]);
      }
    }
#pragma unroll
    for (int n = 0; n < DQ_COLUMNS / 8; ++n)
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        float* sum = dq_sums + dq_index(tile, t, n, e);
        atomicAdd(sum, dq[n][e]);
      }
  }
}

/// Stores a warp's 16 rows, 16 × D. They pass through shared memory that no other warp uses, so that whole rows are
/// written.
__device__ inline void store_gradient(const Gradient& gradient, char* tile, Element* to, int rows, float factor) {
  const int lane = threadIdx.x % 32, warp_row = threadIdx.x / 32 * 16;
#pragma unroll
  for (int n = 0; n < D / 8; ++n)
#pragma unroll
    for (int h = 0; h < 2; ++h)
      *reinterpret_cast<unsigned*>(tile + swizzled_offset(warp_row + h * 8 + lane / 4, n) + lane % 4 * 4) =
          pack_two(gradient[n][2 * h] * factor, gradient[n][2 * h + 1] * factor);
  __syncwarp();
#pragma unroll
  for (int i = lane; i < 16 * D / 8; i += 32) {
    const int row = warp_row + i / (D / 8), chunk = i % (D / 8);
    if (row < rows)
      *reinterpret_cast<uint4*>(to + static_cast<long long>(row) * D + chunk * 8) =
          *reinterpret_cast<const uint4*>(tile + swizzled_offset(row, chunk));
  }
}

extern "C" __global__ void __launch_bounds__(THREADS, MIN_CTAS)
    gradients_mma(const Element* q, const Element* k, const Element* v, const Element* d_o, const float* info,
                  float* dq_sums, Element* dk, Element* dv, Sizes sizes) {
  extern __shared__ __align__(1024) char shared[];
  const unsigned k_tile = shared_address(shared), v_tile = k_tile + KEY_BYTES;  // BLOCK_N × D each
  const unsigned ds_tile = v_tile + KEY_BYTES;                                  // BLOCK_N × BLOCK_M
  const unsigned stages = ds_tile + BLOCK_N * BLOCK_M * 2;
  const int first_key = blockIdx.x * BLOCK_N, kv_head = blockIdx.y, lane = threadIdx.x % 32;
  const int warp_key = threadIdx.x / 32 * 16, all_tiles = (sizes.queries + BLOCK_M - 1) / BLOCK_M;
  // The steps cover all heads of the group, and in each head the tiles of queries that see one of the keys.
  const int first_tile = first_visible_tile(first_key, all_tiles, sizes), first_head = kv_head * sizes.group;
  const int end_head = first_tile < all_tiles ? first_head + sizes.group : first_head;
  const float scale_log2 = sizes.scale * LOG2_E;

  const long long first_row = key_row(kv_head, 0, sizes);
  TileCopy<THREADS>(k + first_row * D).copy<BLOCK_N>(k_tile, first_key, sizes.keys);
  TileCopy<THREADS>(v + first_row * D).copy<BLOCK_N>(v_tile, first_key, sizes.keys);
  const auto copy_step = [&](unsigned stage, int head, int tile) {
    const long long row = query_row(head, 0, sizes) * D;
    TileCopy<THREADS>(q + row).copy<BLOCK_M>(stage, tile * BLOCK_M, sizes.queries);
    TileCopy<THREADS>(d_o + row).copy<BLOCK_M>(stage + QUERY_BYTES, tile * BLOCK_M, sizes.queries);
    if (threadIdx.x < INFO_BYTES / 16)
      cp_async(stage + 2 * QUERY_BYTES + threadIdx.x * 16,
               info + (static_cast<long long>(head) * all_tiles + tile) * BLOCK_M * 2 + threadIdx.x * 4, 16);
  };
  if (first_head < end_head) copy_step(stages, first_head, first_tile);
  cp_async_commit_group();

  Gradient dk_acc = {}, dv_acc = {};
  const unsigned k_address = k_tile + a_fragment_offset(warp_key), v_address = v_tile + a_fragment_offset(warp_key);
  unsigned q_tile = stages, next_stage = stages + STAGE_BYTES;
  int head = first_head, tile = first_tile;
#pragma unroll 1
  while (head < end_head) {
    const unsigned d_o_tile = q_tile + QUERY_BYTES;
    const char* query_info = shared + (d_o_tile + QUERY_BYTES - k_tile) + lane % 4 * 8;
    cp_async_wait_group<0>();
    __syncthreads();  // the tile has arrived; the other stage and dS have been read
    const bool last_tile = tile + 1 == all_tiles;
    const int next_head = head + last_tile, next_tile = last_tile ? first_tile : tile + 1;
    if (next_head < end_head) copy_step(next_stage, next_head, next_tile);
    cp_async_commit_group();

    Accumulators p, ds;
    AFragments a_frag;
    multiply_rows(p, k_address, q_tile + b_fragment_offset(0));
    exponentiate(p, query_info, scale_log2);
    if (first_key + BLOCK_N > visible_keys(tile * BLOCK_M, sizes.queries, sizes.keys))
      mask(p, tile * BLOCK_M + lane % 4 * 2, first_key + warp_key + lane / 4, sizes);
    multiply_rows(ds, v_address, d_o_tile + b_fragment_offset(0));
    differentiate(ds, p, query_info);
    pack(a_frag, p);
    add_product(dv_acc, a_frag, d_o_tile + a_fragment_offset(0));
    pack(a_frag, ds);
#pragma unroll
    for (int n = 0; n < BLOCK_M / 16; ++n)
#pragma unroll
      for (int e = 0; e < 4; ++e)
        *reinterpret_cast<unsigned*>(shared + 2 * KEY_BYTES +
                                     ds_offset(warp_key + e % 2 * 8 + lane / 4, 2 * n + e / 2) + lane % 4 * 4) =
            a_frag[n][e];
    add_product(dk_acc, a_frag, q_tile + a_fragment_offset(0));
    __syncthreads();  // dS of all keys is complete
    add_to_dq(dq_sums, static_cast<long long>(head) * all_tiles + tile, ds_tile, k_tile);
    const unsigned read_stage = q_tile;
    q_tile = next_stage;
    next_stage = read_stage;
    head = next_head;
    tile = next_tile;
  }

  cp_async_wait_group<0>();
  __syncthreads();
  const long long out = (first_row + first_key) * D;
  store_gradient(dv_acc, shared + KEY_BYTES, dv + out, sizes.keys - first_key, 1);
  store_gradient(dk_acc, shared, dk + out, sizes.keys - first_key, sizes.scale);
}

// dQ = scale · sums, from the order of the accumulators to rows. A CTA has a tile of BLOCK_M queries × D.
extern "C" __global__ void __launch_bounds__(THREADS) round_dq(const float* dq_sums, Element* dq, Sizes sizes) {
  const int head = blockIdx.y, lane = threadIdx.x % 32;
  const long long tile = static_cast<long long>(head) * gridDim.x + blockIdx.x;
#pragma unroll
  for (int t = 0; t < DQ_TILES; ++t)
#pragma unroll
    for (int n = 0; n < DQ_COLUMNS / 8; ++n)
#pragma unroll
      for (int h = 0; h < 2; ++h) {
        const int query = blockIdx.x * BLOCK_M + dq_first_row() + t * 16 + h * 8 + lane / 4;
        const float first = dq_sums[dq_index(tile, t, n, 2 * h)], second = dq_sums[dq_index(tile, t, n, 2 * h + 1)];
        if (query < sizes.queries)
          *reinterpret_cast<unsigned*>(dq + query_row(head, query, sizes) * D + dq_first_column() + n * 8 +
                                       lane % 4 * 2) = pack_two(first * sizes.scale, second * sizes.scale);
      }
}
