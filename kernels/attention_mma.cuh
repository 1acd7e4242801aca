// The forward pass of attention on the tensor cores. A warp has WARP_ROWS queries, in tiles of 16, and keeps what it
// computes in registers: the accumulators of Q · K^T are, packed, the A fragments of P · V.
//
// In an accumulator of 16 × 8, lane l has the columns 2 (l % 4) and 2 (l % 4) + 1 of row l / 4, then of row l / 4 + 8.
#pragma once
#include "attention.cuh"

constexpr int THREADS = 32 * WARPS;
constexpr int WARP_ROWS = BLOCK_M / WARPS, TILES = WARP_ROWS >= 16 ? WARP_ROWS / 16 : 1;
constexpr int Q_BYTES = BLOCK_M * ROW_BYTES, KV_BYTES = BLOCK_N * ROW_BYTES;

using Scores = float[TILES][BLOCK_N / 8][4];  // a lane's share of WARP_ROWS × BLOCK_N
using Output = float[TILES][D / 8][4];        // a lane's share of WARP_ROWS × D
using Rows = float[TILES][2];                 // one number for row l / 4 and one for row l / 4 + 8 of each tile

__device__ inline int warp_row() { return threadIdx.x / 32 * WARP_ROWS; }

/// Rows [first, first + ROWS) of a matrix, 16 bytes at a time; those past the end become zeros.
template <int ROWS>
__device__ void load_tile(char* tile, const Element* matrix, int first, int rows) {  // ROWS × D, swizzled
  for (int i = threadIdx.x; i < ROWS * D / 8; i += THREADS) {
    const int row = i / (D / 8), chunk = i % (D / 8);
    uint4 eight = make_uint4(0, 0, 0, 0);
    if (first + row < rows)
      eight = *reinterpret_cast<const uint4*>(matrix + static_cast<long long>(first + row) * D + chunk * 8);
    *reinterpret_cast<uint4*>(tile + swizzled_offset(row, chunk)) = eight;
  }
}

/// The A fragments of the warp's rows of Q. They are read from shared memory in each block of keys; flash_q_registers
/// adds a form that reads them once.
template <bool IN_REGISTERS>
struct QueryFragments {
  unsigned address;
  __device__ explicit QueryFragments(unsigned q_tile) : address(q_tile + a_fragment_offset(warp_row())) {}
  __device__ void get(unsigned (&q_frag)[TILES][4], int d) const {  // columns 16 d to 16 d + 15
#pragma unroll
    for (int t = 0; t < TILES; ++t) ldmatrix_x4(q_frag[t], (address ^ d * 32) + t * 16 * ROW_BYTES);
  }
};

/// s = Q · K^T.
template <bool IN_REGISTERS>
__device__ inline void multiply_keys(Scores& s, const QueryFragments<IN_REGISTERS>& q, unsigned k_tile) {
  const unsigned k_address = k_tile + b_fragment_offset(0);
#pragma unroll
  for (int t = 0; t < TILES; ++t)
#pragma unroll
    for (int n = 0; n < BLOCK_N / 8; ++n)
#pragma unroll
      for (int e = 0; e < 4; ++e) s[t][n][e] = 0;
#pragma unroll
  for (int d = 0; d < D / 16; ++d) {
    unsigned q_frag[TILES][4];  // WARP_ROWS × 16
    q.get(q_frag, d);
#pragma unroll
    for (int n = 0; n < BLOCK_N / 16; ++n) {
      unsigned k_frag[4];  // 16 keys × 16
      ldmatrix_x4(k_frag, (k_address ^ d * 32) + n * 16 * ROW_BYTES);
#pragma unroll
      for (int t = 0; t < TILES; ++t) {
        mma_elements(s[t][2 * n], q_frag[t], k_frag[0], k_frag[1]);
        mma_elements(s[t][2 * n + 1], q_frag[t], k_frag[2], k_frag[3]);
      }
    }
  }
}

/// Scores of keys that a query does not see become minus infinity.
__device__ inline void mask(Scores& s, int first_query, int first_key, int queries, int keys) {
  const int lane = threadIdx.x % 32, query = first_query + warp_row() + lane / 4, key = first_key + lane % 4 * 2;
#pragma unroll
  for (int t = 0; t < TILES; ++t)
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      const int visible = visible_keys(query + t * 16 + h * 8, queries, keys) - key;
#pragma unroll
      for (int n = 0; n < BLOCK_N / 8; ++n)
#pragma unroll
        for (int e = 0; e < 2; ++e)
          if (n * 8 + e >= visible) s[t][n][2 * h + e] = negative_infinity();
    }
}

/// Scores become weights, exp(score - m). `rescale` is the factor for all that was summed under the old m. Returns
/// whether m has risen in one of the lane's rows.
__device__ inline bool exponentiate(Scores& s, Rows& m, Rows& l, Rows& rescale, float scale_log2) {
  bool risen = false;
#pragma unroll
  for (int t = 0; t < TILES; ++t)
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      float block_max = LOWEST, sum = 0;
#pragma unroll
      for (int n = 0; n < BLOCK_N / 8; ++n) block_max = fmaxf(block_max, fmaxf(s[t][n][2 * h], s[t][n][2 * h + 1]));
      rescale[t][h] = update_maximum(m[t][h], max_of_quad(block_max), scale_log2);
      risen |= rescale[t][h] != 1;
      const float shift = m[t][h] * scale_log2;
#pragma unroll
      for (int n = 0; n < BLOCK_N / 8; ++n)
#pragma unroll
        for (int e = 0; e < 2; ++e) {
          float& score = s[t][n][2 * h + e];
          score = ex2_approx(score * scale_log2 - shift);  // one FFMA, one MUFU.EX2
          sum += score;
        }
      l[t][h] = l[t][h] * rescale[t][h] + sum;  // this lane's part of the row
    }
  return risen;
}

__device__ inline void scale_rows(Output& o, const Rows& rescale) {
#pragma unroll
  for (int t = 0; t < TILES; ++t)
#pragma unroll
    for (int n = 0; n < D / 8; ++n)
#pragma unroll
      for (int e = 0; e < 4; ++e) o[t][n][e] *= rescale[t][e / 2];
}

/// o += P · V. Two neighbouring accumulators of 16 × 8 are, packed, an A fragment of 16 queries × 16 keys.
__device__ inline void multiply_values(Output& o, const Scores& p, unsigned v_tile) {
  const unsigned v_address = v_tile + a_fragment_offset(0);
#pragma unroll
  for (int n = 0; n < BLOCK_N / 16; ++n) {
    unsigned p_frag[TILES][4];  // WARP_ROWS × 16 keys
#pragma unroll
    for (int t = 0; t < TILES; ++t)
#pragma unroll
      for (int e = 0; e < 4; ++e)
        p_frag[t][e] = pack_two(p[t][2 * n + e / 2][e % 2 * 2], p[t][2 * n + e / 2][e % 2 * 2 + 1]);
#pragma unroll
    for (int d = 0; d < D / 16; ++d) {
      unsigned v_frag[4];  // 16 keys × 16
      ldmatrix_x4_trans(v_frag, (v_address ^ d * 32) + n * 16 * ROW_BYTES);
#pragma unroll
      for (int t = 0; t < TILES; ++t) {
        mma_elements(o[t][2 * d], p_frag[t], v_frag[0], v_frag[1]);
        mma_elements(o[t][2 * d + 1], p_frag[t], v_frag[2], v_frag[3]);
      }
    }
  }
}

/// O = o / l and lse. O passes through shared memory, where Q of the same rows was, so that a warp writes whole rows.
__device__ inline void store_output(const Output& o, const Rows& m, const Rows& l, char* q_tile, Element* out,
                                    float* lse, int first_query, int queries, float scale) {
  const int lane = threadIdx.x % 32;
#pragma unroll
  for (int t = 0; t < TILES; ++t)
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      const int row = warp_row() + t * 16 + h * 8 + lane / 4;
      const float sum = sum_of_quad(l[t][h]), factor = sum > 0 ? 1 / sum : 0;  // a query that sees no key gets zeros
#pragma unroll
      for (int n = 0; n < D / 8; ++n)
        *reinterpret_cast<unsigned*>(q_tile + swizzled_offset(row, n) + lane % 4 * 4) =
            pack_two(o[t][n][2 * h] * factor, o[t][n][2 * h + 1] * factor);
      if (lane % 4 == 0 && first_query + row < queries)
        lse[first_query + row] = sum > 0 ? m[t][h] * scale + logf(sum) : negative_infinity();
    }
  __syncwarp();
#pragma unroll
  for (int i = lane; i < WARP_ROWS * D / 8; i += 32) {
    const int row = warp_row() + i / (D / 8), chunk = i % (D / 8);
    if (first_query + row < queries)
      *reinterpret_cast<uint4*>(out + static_cast<long long>(first_query + row) * D + chunk * 8) =
          *reinterpret_cast<const uint4*>(q_tile + swizzled_offset(row, chunk));
  }
}
