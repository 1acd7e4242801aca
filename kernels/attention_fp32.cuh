// The forward pass of attention on tiles of floats, without tensor cores. 16 × 16 threads share a tile of scores: a
// thread has the queries y + 16 i and the keys x + 16 j, and of O the columns 4 x to 4 x + 3 of every 64.
#pragma once
#include "attention.cuh"

constexpr int SIDE = 16, FP32_THREADS = SIDE * SIDE;
constexpr int ROWS = BLOCK_M / SIDE, COLUMNS = BLOCK_N / SIDE;
constexpr int PITCH = D + 4, P_PITCH = BLOCK_N + 4;  // 4 floats more, so that 8 rows are in 8 groups of banks

using Fp32Scores = float[ROWS][COLUMNS];   // a thread's share of BLOCK_M × BLOCK_N
using Fp32Output = float[ROWS][D / SIDE];  // a thread's share of BLOCK_M × D
using Fp32Rows = float[ROWS];              // one number for each of the thread's queries

__device__ inline float4 load_four(const float* from) { return *reinterpret_cast<const float4*>(from); }

/// Rows [first, first + TILE) of a matrix as floats; those past the end become zeros.
template <int TILE>
__device__ void load_tile(float* tile, const Element* matrix, int first, int rows) {  // TILE × D
  for (int i = threadIdx.x; i < TILE * D / 4; i += FP32_THREADS) {
    const int row = i / (D / 4), column = i % (D / 4) * 4;
    uint2 four = make_uint2(0, 0);
    if (first + row < rows)
      four = *reinterpret_cast<const uint2*>(matrix + static_cast<long long>(first + row) * D + column);
    const Element* element = reinterpret_cast<const Element*>(&four);
    *reinterpret_cast<float4*>(tile + row * PITCH + column) =
        make_float4(to_float(element[0]), to_float(element[1]), to_float(element[2]), to_float(element[3]));
  }
}

/// s = Q · K^T.
__device__ inline void multiply_keys(Fp32Scores& s, const float* q_tile, const float* k_tile) {
  const int x = threadIdx.x % SIDE, y = threadIdx.x / SIDE;
  for (int i = 0; i < ROWS; ++i)
    for (int j = 0; j < COLUMNS; ++j) s[i][j] = 0;
  for (int d = 0; d < D; d += 4) {
    float4 key[COLUMNS];
#pragma unroll
    for (int j = 0; j < COLUMNS; ++j) key[j] = load_four(k_tile + (x + SIDE * j) * PITCH + d);
#pragma unroll
    for (int i = 0; i < ROWS; ++i) {
      const float4 query = load_four(q_tile + (y + SIDE * i) * PITCH + d);
#pragma unroll
      for (int j = 0; j < COLUMNS; ++j) {
        s[i][j] += query.x * key[j].x;  // one FFMA each; adding the four first takes more registers
        s[i][j] += query.y * key[j].y;
        s[i][j] += query.z * key[j].z;
        s[i][j] += query.w * key[j].w;
      }
    }
  }
}

/// Scores of keys that a query does not see become minus infinity.
__device__ inline void mask(Fp32Scores& s, int first_query, int first_key, int queries, int keys) {
  const int x = threadIdx.x % SIDE, y = threadIdx.x / SIDE;
#pragma unroll
  for (int i = 0; i < ROWS; ++i) {
    const int visible = visible_keys(first_query + y + SIDE * i, queries, keys) - first_key;
#pragma unroll
    for (int j = 0; j < COLUMNS; ++j)
      if (x + SIDE * j >= visible) s[i][j] = negative_infinity();
  }
}

/// Scores become weights, exp(score - m). `rescale` is the factor for all that was summed under the old m.
__device__ inline void exponentiate(Fp32Scores& s, Fp32Rows& m, Fp32Rows& l, Fp32Rows& rescale, float scale_log2) {
#pragma unroll
  for (int i = 0; i < ROWS; ++i) {
    float block_max = LOWEST, sum = 0;
#pragma unroll
    for (int j = 0; j < COLUMNS; ++j) block_max = fmaxf(block_max, s[i][j]);
    for (int distance = SIDE / 2; distance > 0; distance /= 2)
      block_max = fmaxf(block_max, __shfl_xor_sync(0xffffffff, block_max, distance));
    rescale[i] = update_maximum(m[i], block_max, scale_log2);
    const float shift = m[i] * scale_log2;
#pragma unroll
    for (int j = 0; j < COLUMNS; ++j) {
      s[i][j] = ex2_approx(s[i][j] * scale_log2 - shift);  // one FFMA, one MUFU.EX2
      sum += s[i][j];
    }
    l[i] = l[i] * rescale[i] + sum;  // this thread's part of the row
  }
}

__device__ inline void scale_rows(Fp32Output& o, const Fp32Rows& rescale) {
#pragma unroll
  for (int i = 0; i < ROWS; ++i)
#pragma unroll
    for (int c = 0; c < D / SIDE; ++c) o[i][c] *= rescale[i];
}

/// The weights go to shared memory, because a thread multiplies whole rows of them.
__device__ inline void store_weights(float* p_tile, const Fp32Scores& p) {  // BLOCK_M × BLOCK_N
#pragma unroll
  for (int i = 0; i < ROWS; ++i)
#pragma unroll
    for (int j = 0; j < COLUMNS; ++j)
      p_tile[(threadIdx.x / SIDE + SIDE * i) * P_PITCH + threadIdx.x % SIDE + SIDE * j] = p[i][j];
}

/// o += P · V.
__device__ inline void multiply_values(Fp32Output& o, const float* p_tile, const float* v_tile) {
  const int x = threadIdx.x % SIDE, y = threadIdx.x / SIDE;
  for (int key = 0; key < BLOCK_N; ++key) {
    float4 value[D / 64];
#pragma unroll
    for (int c = 0; c < D / 64; ++c) value[c] = load_four(v_tile + key * PITCH + x * 4 + 64 * c);
#pragma unroll
    for (int i = 0; i < ROWS; ++i) {
      const float weight = p_tile[(y + SIDE * i) * P_PITCH + key];
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

/// o · factor, to the rows of a head from `first_query` on: four neighbours, 8 bytes, at a time.
__device__ inline void store_rows(const Fp32Output& o, const Fp32Rows& factor, Element* out, int first_query,
                                  int queries) {
  const int x = threadIdx.x % SIDE, y = threadIdx.x / SIDE;
#pragma unroll
  for (int i = 0; i < ROWS; ++i) {
    const int query = first_query + y + SIDE * i;
    if (query >= queries) continue;
#pragma unroll
    for (int c = 0; c < D / 64; ++c)
      *reinterpret_cast<uint2*>(out + static_cast<long long>(query) * D + x * 4 + 64 * c) =
          make_uint2(pack_two(o[i][4 * c] * factor[i], o[i][4 * c + 1] * factor[i]),
                     pack_two(o[i][4 * c + 2] * factor[i], o[i][4 * c + 3] * factor[i]));
  }
}

/// O = o / l and lse. Each thread has summed its own keys: l is complete once the 16 threads of a row have added up.
__device__ inline void store_output(const Fp32Output& o, const Fp32Rows& m, const Fp32Rows& l, Element* out, float* lse,
                                    int first_query, int queries, float scale) {
  Fp32Rows factor;
#pragma unroll
  for (int i = 0; i < ROWS; ++i) {
    const int query = first_query + threadIdx.x / SIDE + SIDE * i;
    float sum = l[i];
    for (int distance = SIDE / 2; distance > 0; distance /= 2) sum += __shfl_xor_sync(0xffffffff, sum, distance);
    factor[i] = sum > 0 ? 1 / sum : 0;  // a query that sees no key gets zeros
    if (threadIdx.x % SIDE == 0 && query < queries)
      lse[query] = sum > 0 ? m[i] * scale + logf(sum) : negative_infinity();
  }
  store_rows(o, factor, out, first_query, queries);
}
