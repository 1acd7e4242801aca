// O = softmax(Q · K^T / √D) · V for each head. Q and O are batch × heads × queries × D, K and V batch × kv_heads × keys
// × D; heads / kv_heads neighbouring heads of Q share a head of K and V. lse is log(sum of exp(scores)) of every query.
//
// BLOCK_M  queries of a CTA     BLOCK_N  keys that wait in shared memory at a time     STAGES  such blocks of K and V
// WARPS    warps of a CTA of flash_mma; the other kernels have 256 threads, or 4 warps
#include "attention.cuh"

/// Where a head's matrices begin. Heads are numbered through the whole batch.
struct Head {
  const Element *q, *k, *v;
  long long first_row;  // of Q, O and lse
  __device__ Head(const Element* all_q, const Element* all_k, const Element* all_v, int head, int group, int queries,
                  int keys)
      : first_row(static_cast<long long>(head) * queries) {
    const long long key_row = static_cast<long long>(head / group) * keys;
    q = all_q + first_row * D;
    k = all_k + key_row * D;
    v = all_v + key_row * D;
  }
};

/// e^x: the hardware has 2^x.
__device__ inline float fast_exp(float x) { return ex2_approx(x * LOG2_E); }

// ---- Tiles of floats, for the rungs without tensor cores. 16 × 16 threads share a tile of scores: a thread has the
// queries y + 16 i and the keys x + 16 j, and of the output the columns 4 x to 4 x + 3 of every 64.

constexpr int SIDE = 16, FP32_THREADS = SIDE * SIDE;
constexpr int ROWS = BLOCK_M / SIDE, COLUMNS = BLOCK_N / SIDE;
constexpr int PITCH = D + 4, P_PITCH = BLOCK_N + 4;  // 4 floats more, so that 8 rows are in 8 groups of banks

__device__ inline float4 four_at(const float* at) { return *reinterpret_cast<const float4*>(at); }

/// Rows [first, first + TILE) of a matrix as floats; those past the end become zeros.
template <int TILE>
__device__ void load_tile(float* tile, const Element* matrix, int first, int rows) {
  for (int i = threadIdx.x; i < TILE * D / 4; i += FP32_THREADS) {
    const int row = i / (D / 4), column = i % (D / 4) * 4;
    uint2 four = make_uint2(0, 0);
    if (first + row < rows)
      four = *reinterpret_cast<const uint2*>(matrix + static_cast<long long>(first + row) * D + column);
    const Element* of = reinterpret_cast<const Element*>(&four);
    *reinterpret_cast<float4*>(tile + row * PITCH + column) =
        make_float4(to_float(of[0]), to_float(of[1]), to_float(of[2]), to_float(of[3]));
  }
}

/// s = Q · K^T of the two tiles, (ROWS, COLUMNS) for each thread.
__device__ void multiply_keys(float (&s)[ROWS][COLUMNS], const float* q, const float* k) {
  const int x = threadIdx.x % SIDE, y = threadIdx.x / SIDE;
  for (int d = 0; d < D; d += 4) {
    float4 key[COLUMNS];
#pragma unroll
    for (int j = 0; j < COLUMNS; ++j) key[j] = four_at(k + (x + SIDE * j) * PITCH + d);
#pragma unroll
    for (int i = 0; i < ROWS; ++i) {
      const float4 query = four_at(q + (y + SIDE * i) * PITCH + d);
#pragma unroll
      for (int j = 0; j < COLUMNS; ++j)
        s[i][j] += query.x * key[j].x + query.y * key[j].y + query.z * key[j].z + query.w * key[j].w;
    }
  }
}

/// o += P · V of the two tiles, (ROWS, D / 16) for each thread.
__device__ void multiply_values(float (&o)[ROWS][D / SIDE], const float* p, const float* v) {
  const int x = threadIdx.x % SIDE, y = threadIdx.x / SIDE;
  for (int key = 0; key < BLOCK_N; ++key) {
    float4 value[D / 64];
#pragma unroll
    for (int c = 0; c < D / 64; ++c) value[c] = four_at(v + key * PITCH + x * 4 + 64 * c);
#pragma unroll
    for (int i = 0; i < ROWS; ++i) {
      const float weight = p[(y + SIDE * i) * P_PITCH + key];
#pragma unroll
      for (int c = 0; c < D / 64; ++c) {
        o[i][4 * c] += weight * value[c].x;
        o[i][4 * c + 1] += weight * value[c].y;
        o[i][4 * c + 2] += weight * value[c].z;
        o[i][4 * c + 3] += weight * value[c].w;
      }
    }
  }
}

/// Four neighbours of an output row, 8 bytes.
__device__ inline void store_four(Element* to, const float* value, float factor) {
  *reinterpret_cast<uint2*>(to) =
      make_uint2(pack_two(value[0] * factor, value[1] * factor), pack_two(value[2] * factor, value[3] * factor));
}

// ---- Unfused: three kernels. The scores of all queries and all keys lie in global memory between them.

extern "C" __global__ void __launch_bounds__(FP32_THREADS)
    score_tiles(const Element* q, const Element* k, const Element* v, float* scores, int group, int queries, int keys,
                float scale) {
  extern __shared__ __align__(16) float tiles[];
  float *q_tile = tiles, *k_tile = tiles + BLOCK_M * PITCH;
  const Head head(q, k, v, blockIdx.z, group, queries, keys);
  const int first_key = blockIdx.x * BLOCK_N, first_query = blockIdx.y * BLOCK_M;
  load_tile<BLOCK_M>(q_tile, head.q, first_query, queries);
  load_tile<BLOCK_N>(k_tile, head.k, first_key, keys);
  __syncthreads();
  float s[ROWS][COLUMNS] = {};
  multiply_keys(s, q_tile, k_tile);
  for (int i = 0; i < ROWS; ++i) {
    const int query = first_query + threadIdx.x / SIDE + SIDE * i;
    for (int j = 0; j < COLUMNS; ++j) {
      const int key = first_key + threadIdx.x % SIDE + SIDE * j;
      if (query < queries && key < keys)
        scores[(head.first_row + query) * keys + key] =
            key < visible_keys(query, queries, keys) ? s[i][j] * scale : negative_infinity();
    }
  }
}

// A warp has a row. It is read three times: for the maximum, for the sum, and to be written as weights.
extern "C" __global__ void softmax_rows(float* scores, float* lse, int rows, int keys) {
  const int row = (blockIdx.x * FP32_THREADS + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;  // the whole warp
  float* score = scores + static_cast<long long>(row) * keys;
  float max = LOWEST, sum = 0;
  for (int key = lane; key < keys; key += 32) max = fmaxf(max, score[key]);
  for (int distance = 16; distance > 0; distance /= 2) max = fmaxf(max, __shfl_xor_sync(0xffffffff, max, distance));
  for (int key = lane; key < keys; key += 32) sum += fast_exp(score[key] - max);
  for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_xor_sync(0xffffffff, sum, distance);
  const float factor = sum > 0 ? 1 / sum : 0;  // a query that sees no key gets zeros
  for (int key = lane; key < keys; key += 32) score[key] = fast_exp(score[key] - max) * factor;
  if (lane == 0) lse[row] = sum > 0 ? max + logf(sum) : negative_infinity();
}

extern "C" __global__ void __launch_bounds__(FP32_THREADS)
    weigh_values(const float* scores, const Element* q, const Element* k, const Element* v, Element* out, int group,
                 int queries, int keys) {
  extern __shared__ __align__(16) float tiles[];
  float *v_tile = tiles, *p_tile = tiles + BLOCK_N * PITCH;
  const Head head(q, k, v, blockIdx.y, group, queries, keys);
  const int first_query = blockIdx.x * BLOCK_M;
  float o[ROWS][D / SIDE] = {};
  for (int first_key = 0; first_key < keys; first_key += BLOCK_N) {
    __syncthreads();  // nobody reads the tiles any more
    load_tile<BLOCK_N>(v_tile, head.v, first_key, keys);
    for (int i = threadIdx.x; i < BLOCK_M * BLOCK_N; i += FP32_THREADS) {
      const int query = first_query + i / BLOCK_N, key = first_key + i % BLOCK_N;
      p_tile[i / BLOCK_N * P_PITCH + i % BLOCK_N] =
          query < queries && key < keys ? scores[(head.first_row + query) * keys + key] : 0;
    }
    __syncthreads();
    multiply_values(o, p_tile, v_tile);
  }
  for (int i = 0; i < ROWS; ++i) {
    const int query = first_query + threadIdx.x / SIDE + SIDE * i;
    if (query >= queries) continue;
    for (int c = 0; c < D / 64; ++c)
      store_four(out + (head.first_row + query) * D + threadIdx.x % SIDE * 4 + 64 * c, &o[i][4 * c], 1);
  }
}

// ---- Online: a warp walks over the keys of one query, and never looks back. m is the largest score so far, l the sum
// of exp(score - m), out the sum of exp(score - m) · v. A larger score makes all that came before worth less.

extern "C" __global__ void online_row(const Element* q, const Element* k, const Element* v, Element* out, float* lse,
                                      float4* trace, int group, int queries, int keys, int rows, float scale) {
  const int row = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;  // the whole warp
  const Head head(q, k, v, row / queries, group, queries, keys);
  const int query = row % queries;
  float of_q[D / 32], o[D / 32] = {}, m = LOWEST, l = 0;  // (D / 32), a lane's share of a row
  for (int i = 0; i < D / 32; ++i) of_q[i] = to_float(head.q[static_cast<long long>(query) * D + lane + 32 * i]);

  const int visible = visible_keys(query, queries, keys);
  for (int key = 0; key < visible; ++key) {
    const long long at = static_cast<long long>(key) * D + lane;
    float score = 0;
    for (int i = 0; i < D / 32; ++i) score += of_q[i] * to_float(head.k[at + 32 * i]);
    for (int distance = 16; distance > 0; distance /= 2) score += __shfl_xor_sync(0xffffffff, score, distance);
    score *= scale;

    const float top = fmaxf(m, score);
    const float rescale = fast_exp(m - top);
    const float p = fast_exp(score - top);
    l = l * rescale + p;
    for (int i = 0; i < D / 32; ++i) o[i] = o[i] * rescale + p * to_float(head.v[at + 32 * i]);
    m = top;
    if (row == queries - 1 && lane == 0) trace[key] = make_float4(score, m, l, rescale);  // of one row, for the views
  }

  const float factor = l > 0 ? 1 / l : 0;
  for (int i = 0; i < D / 32; ++i)
    out[static_cast<long long>(row) * D + lane + 32 * i] = static_cast<Element>(o[i] * factor);
  if (lane == 0) lse[row] = l > 0 ? m + logf(l) : negative_infinity();
}

// ---- Flash: the same for BLOCK_M queries and BLOCK_N keys at a time. Scores exist only in registers, and only those
// of one block.

/// The blocks of keys that the queries [first, first + BLOCK_M) see: `blocks` in all; the first `whole` need no mask.
struct KeyBlocks {
  int blocks, whole;
  __device__ KeyBlocks(int first, int queries, int keys) {
    blocks = (visible_keys(min(first + BLOCK_M, queries) - 1, queries, keys) + BLOCK_N - 1) / BLOCK_N;
    whole = visible_keys(first, queries, keys) / BLOCK_N;
  }
};
/// With a causal mask the last queries see the most keys: their CTAs start first, and the short ones fill the gaps.
__device__ inline int first_query_of_cta() { return (CAUSAL ? gridDim.x - 1 - blockIdx.x : blockIdx.x) * BLOCK_M; }

/// A row's largest score so far, the sum so far, and what all that is older is worth once the row has seen more.
__device__ inline float take_maximum(float& m, float larger, float scale_log2) {
  const float top = fmaxf(m, larger);
  const float rescale = ex2_approx((m - top) * scale_log2);
  m = top;
  return rescale;
}

extern "C" __global__ void __launch_bounds__(FP32_THREADS)
    flash_fp32(const Element* q, const Element* k, const Element* v, Element* out, float* lse, int group, int queries,
               int keys, float scale) {
  extern __shared__ __align__(16) float tiles[];
  float *q_tile = tiles, *kv_tile = q_tile + BLOCK_M * PITCH, *p_tile = kv_tile + BLOCK_N * PITCH;
  const Head head(q, k, v, blockIdx.z * gridDim.y + blockIdx.y, group, queries, keys);
  const int first_query = first_query_of_cta(), x = threadIdx.x % SIDE, y = threadIdx.x / SIDE;
  const KeyBlocks range(first_query, queries, keys);
  const float scale_log2 = scale * LOG2_E;
  load_tile<BLOCK_M>(q_tile, head.q, first_query, queries);

  float o[ROWS][D / SIDE] = {}, m[ROWS], l[ROWS] = {};
  for (int i = 0; i < ROWS; ++i) m[i] = LOWEST;
#pragma unroll 1
  for (int block = 0; block < range.blocks; ++block) {
    const int first_key = block * BLOCK_N;
    __syncthreads();  // nobody reads the last block's V any more
    load_tile<BLOCK_N>(kv_tile, head.k, first_key, keys);
    __syncthreads();
    float s[ROWS][COLUMNS] = {};
    multiply_keys(s, q_tile, kv_tile);
    __syncthreads();  // nobody reads K any more
    load_tile<BLOCK_N>(kv_tile, head.v, first_key, keys);
#pragma unroll
    for (int i = 0; i < ROWS; ++i) {
      const int visible = visible_keys(first_query + y + SIDE * i, queries, keys) - first_key;
      float larger = LOWEST, sum = 0;
#pragma unroll
      for (int j = 0; j < COLUMNS; ++j) {
        if (block >= range.whole && x + SIDE * j >= visible) s[i][j] = negative_infinity();
        larger = fmaxf(larger, s[i][j]);
      }
      for (int distance = SIDE / 2; distance > 0; distance /= 2)
        larger = fmaxf(larger, __shfl_xor_sync(0xffffffff, larger, distance));
      const float rescale = take_maximum(m[i], larger, scale_log2);
#pragma unroll
      for (int j = 0; j < COLUMNS; ++j) {
        const float p = ex2_approx((s[i][j] - m[i]) * scale_log2);
        p_tile[(y + SIDE * i) * P_PITCH + x + SIDE * j] = p;
        sum += p;
      }
      l[i] = l[i] * rescale + sum;
#pragma unroll
      for (int c = 0; c < D / SIDE; ++c) o[i][c] *= rescale;
    }
    __syncthreads();
    multiply_values(o, p_tile, kv_tile);
  }

#pragma unroll
  for (int i = 0; i < ROWS; ++i) {
    const int query = first_query + y + SIDE * i;
    for (int distance = SIDE / 2; distance > 0; distance /= 2) l[i] += __shfl_xor_sync(0xffffffff, l[i], distance);
    if (query >= queries) continue;
    const float factor = l[i] > 0 ? 1 / l[i] : 0;
#pragma unroll
    for (int c = 0; c < D / 64; ++c)
      store_four(out + (head.first_row + query) * D + x * 4 + 64 * c, &o[i][4 * c], factor);
    if (x == 0) lse[head.first_row + query] = l[i] > 0 ? m[i] * scale + logf(l[i]) : negative_infinity();
  }
}

// ---- Flash on the tensor cores. A warp has BLOCK_M / WARPS queries, in tiles of 16; what it computes never leaves its
// registers: the accumulators of Q · K^T are, packed, the left operand of P · V.

constexpr int THREADS = 32 * WARPS;
constexpr int WARP_ROWS = BLOCK_M / WARPS, TILES = WARP_ROWS >= 16 ? WARP_ROWS / 16 : 1;  // (16 queries)
constexpr int Q_BYTES = BLOCK_M * ROW_BYTES, KV_BYTES = BLOCK_N * ROW_BYTES, STAGE_BYTES = 2 * KV_BYTES;
// Registers of a thread for O, for the scores and for all of Q: Q stays there where all three leave room for addresses.
constexpr bool KEEP_Q = TILES * (D / 2 + BLOCK_N / 2 + D / 4) <= 176;

/// What a warp knows of its queries. A lane has rows l / 4 and l / 4 + 8 of each tile, of 8 columns two neighbours.
struct Rows {
  float o[TILES][D / 8][4] = {};
  float m[TILES][2], l[TILES][2] = {};  // of row l / 4 and of row l / 4 + 8; l is the lane's part of the sum
  unsigned q[KEEP_Q ? TILES : 1][KEEP_Q ? D / 16 : 1][4];
};
using Scores = float[TILES][BLOCK_N / 8][4];

/// s = Q · K^T. `q_place` and `k_place` are where the lane reads its first rows.
__device__ inline void multiply_keys(Scores& s, const Rows& rows, unsigned q_place, unsigned k_place) {
#pragma unroll
  for (int t = 0; t < TILES; ++t)
#pragma unroll
    for (int n = 0; n < BLOCK_N / 8; ++n)
#pragma unroll
      for (int e = 0; e < 4; ++e) s[t][n][e] = 0;
#pragma unroll
  for (int d = 0; d < D / 16; ++d) {
    unsigned q[TILES][4];
#pragma unroll
    for (int t = 0; t < TILES; ++t) {
      if (KEEP_Q) {
        for (int e = 0; e < 4; ++e) q[t][e] = rows.q[KEEP_Q ? t : 0][KEEP_Q ? d : 0][e];
      } else {
        ldmatrix_x4(q[t], (q_place ^ d * 32) + t * 16 * ROW_BYTES);
      }
    }
#pragma unroll
    for (int n = 0; n < BLOCK_N / 16; ++n) {
      unsigned k[4];
      ldmatrix_x4(k, (k_place ^ d * 32) + n * 16 * ROW_BYTES);
#pragma unroll
      for (int t = 0; t < TILES; ++t) {
        mma_elements(s[t][2 * n], q[t], k[0], k[1]);
        mma_elements(s[t][2 * n + 1], q[t], k[2], k[3]);
      }
    }
  }
}

/// Scores of keys that a query does not see become minus infinity. `first_key` is the lane's first one.
__device__ inline void mask(Scores& s, int query, int first_key, int queries, int keys) {
#pragma unroll
  for (int t = 0; t < TILES; ++t)
#pragma unroll
    for (int half_tile = 0; half_tile < 2; ++half_tile) {
      const int visible = visible_keys(query + t * 16 + half_tile * 8, queries, keys) - first_key;
#pragma unroll
      for (int n = 0; n < BLOCK_N / 8; ++n)
#pragma unroll
        for (int e = 0; e < 2; ++e)
          if (n * 8 + e >= visible) s[t][n][half_tile * 2 + e] = negative_infinity();
    }
}

/// Scores become exp(score - m), and what the rows hold is rescaled to the new m.
__device__ inline void exponentiate(Scores& s, Rows& rows, float scale_log2) {
  float rescale[TILES][2];
  bool changed = false;
#pragma unroll
  for (int t = 0; t < TILES; ++t)
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      float larger = LOWEST, sum = 0;
#pragma unroll
      for (int n = 0; n < BLOCK_N / 8; ++n) larger = fmaxf(larger, fmaxf(s[t][n][2 * h], s[t][n][2 * h + 1]));
      rescale[t][h] = take_maximum(rows.m[t][h], max_of_quad(larger), scale_log2);
      changed |= rescale[t][h] != 1;
      const float shift = rows.m[t][h] * scale_log2;
#pragma unroll
      for (int n = 0; n < BLOCK_N / 8; ++n)
#pragma unroll
        for (int e = 0; e < 2; ++e) {
          float& score = s[t][n][2 * h + e];
          score = ex2_approx(score * scale_log2 - shift);  // one FFMA, one MUFU.EX2
          sum += score;
        }
      rows.l[t][h] = rows.l[t][h] * rescale[t][h] + sum;
    }
  if (!__any_sync(0xffffffff, changed)) return;  // maxima rarely change after the first few blocks
#pragma unroll
  for (int t = 0; t < TILES; ++t)
#pragma unroll
    for (int n = 0; n < D / 8; ++n)
#pragma unroll
      for (int e = 0; e < 4; ++e) rows.o[t][n][e] *= rescale[t][e / 2];
}

/// o += P · V. Two neighbouring tiles of accumulators are, packed, a left operand of 16 keys.
__device__ inline void multiply_values(Rows& rows, const Scores& p, unsigned v_place) {
#pragma unroll
  for (int n = 0; n < BLOCK_N / 16; ++n) {
    unsigned left[TILES][4];
#pragma unroll
    for (int t = 0; t < TILES; ++t)
#pragma unroll
      for (int e = 0; e < 4; ++e)
        left[t][e] = pack_two(p[t][2 * n + e / 2][e % 2 * 2], p[t][2 * n + e / 2][e % 2 * 2 + 1]);
#pragma unroll
    for (int d = 0; d < D / 16; ++d) {
      unsigned v[4];
      ldmatrix_x4_trans(v, (v_place ^ d * 32) + n * 16 * ROW_BYTES);
#pragma unroll
      for (int t = 0; t < TILES; ++t) {
        mma_elements(rows.o[t][2 * d], left[t], v[0], v[1]);
        mma_elements(rows.o[t][2 * d + 1], left[t], v[2], v[3]);
      }
    }
  }
}

/// O through shared memory, where Q of the same rows was, so that a warp writes whole rows.
__device__ inline void store_rows(Rows& rows, char* q_tile, Element* out, float* lse, int first_query, int queries,
                                  float scale) {
  const int lane = threadIdx.x % 32, warp_row = threadIdx.x / 32 * WARP_ROWS;
#pragma unroll
  for (int t = 0; t < TILES; ++t)
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      const int row = warp_row + t * 16 + h * 8 + lane / 4;
      const float sum = sum_of_quad(rows.l[t][h]), factor = sum > 0 ? 1 / sum : 0;
#pragma unroll
      for (int n = 0; n < D / 8; ++n)
        *reinterpret_cast<unsigned*>(q_tile + place(row, n) + lane % 4 * 4) =
            pack_two(rows.o[t][n][2 * h] * factor, rows.o[t][n][2 * h + 1] * factor);
      if (lane % 4 == 0 && first_query + row < queries)
        lse[first_query + row] = sum > 0 ? rows.m[t][h] * scale + logf(sum) : negative_infinity();
    }
  __syncwarp();
#pragma unroll
  for (int i = lane; i < WARP_ROWS * D / 8; i += 32) {
    const int row = warp_row + i / (D / 8), chunk = i % (D / 8);
    if (first_query + row < queries)
      *reinterpret_cast<uint4*>(out + static_cast<long long>(first_query + row) * D + chunk * 8) =
          *reinterpret_cast<const uint4*>(q_tile + place(row, chunk));
  }
}

extern "C" __global__ void __launch_bounds__(THREADS)
    flash_mma(const Element* q, const Element* k, const Element* v, Element* out, float* lse, int group, int queries,
              int keys, float scale) {
  extern __shared__ __align__(1024) char shared[];
  const Head head(q, k, v, blockIdx.z * gridDim.y + blockIdx.y, group, queries, keys);
  const int first_query = first_query_of_cta(), lane = threadIdx.x % 32, warp_row = threadIdx.x / 32 * WARP_ROWS;
  const KeyBlocks range(first_query, queries, keys);
  const float scale_log2 = scale * LOG2_E;
  const unsigned q_tile = shared_address(shared), stages = q_tile + Q_BYTES, end = stages + STAGES * STAGE_BYTES;
  const TileCopy<THREADS> copy_k(head.k), copy_v(head.v);
  const auto copy_block = [&](unsigned stage, int block) {
    copy_k.copy<BLOCK_N>(stage, block * BLOCK_N, keys);
    copy_v.copy<BLOCK_N>(stage + KV_BYTES, block * BLOCK_N, keys);
  };

  TileCopy<THREADS>(head.q).copy<BLOCK_M>(q_tile, first_query, queries);
#pragma unroll
  for (int i = 0; i < STAGES - 1; ++i) {
    if (i < range.blocks) copy_block(stages + i * STAGE_BYTES, i);
    cp_async_commit_group();  // the first one holds Q as well
  }
  Rows rows;
#pragma unroll
  for (int t = 0; t < TILES; ++t) rows.m[t][0] = rows.m[t][1] = LOWEST;
  const unsigned q_place = q_tile + left_place(warp_row), k_place = right_place(0), v_place = KV_BYTES + left_place(0);
  if (KEEP_Q) {
    cp_async_wait_group<STAGES - 2>();
    __syncthreads();
#pragma unroll
    for (int t = 0; t < TILES; ++t)
#pragma unroll
      for (int d = 0; d < D / 16; ++d)
        ldmatrix_x4(rows.q[KEEP_Q ? t : 0][KEEP_Q ? d : 0], (q_place ^ d * 32) + t * 16 * ROW_BYTES);
  }

  unsigned reading = stages, writing = stages + (STAGES - 1) * STAGE_BYTES;
#pragma unroll 1
  for (int block = 0; block < range.blocks; ++block) {
    cp_async_wait_group<STAGES - 2>();
    __syncthreads();  // the block is there, and the one before it is read: its place is free
    if (block + STAGES - 1 < range.blocks) copy_block(writing, block + STAGES - 1);
    cp_async_commit_group();
    Scores s;
    multiply_keys(s, rows, q_place, reading + k_place);
    if (block >= range.whole) mask(s, first_query + warp_row + lane / 4, block * BLOCK_N + lane % 4 * 2, queries, keys);
    exponentiate(s, rows, scale_log2);
    multiply_values(rows, s, reading + v_place);
    reading = reading + STAGE_BYTES == end ? stages : reading + STAGE_BYTES;
    writing = writing + STAGE_BYTES == end ? stages : writing + STAGE_BYTES;
  }
  cp_async_wait_group<0>();
  __syncthreads();  // Q, of CTAs that see no key
  store_rows(rows, shared, out + head.first_row * D, lse + head.first_row, first_query, queries, scale);
}
