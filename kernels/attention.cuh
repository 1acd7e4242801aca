// What the forward and the backward pass of attention share: elements of 16 bits, tiles of them in shared memory, and
// the fragments that the tensor cores take. Matrices have D columns and are stored row after row.
//
// HEAD_DIM  columns of Q, K, V and O: 64 or 128      DTYPE  0: fp16, 1: bf16
// CAUSAL    1: a query sees no key that comes later
#pragma once
#define TENSOR_CORES
#include "elements.cuh"

constexpr int D = HEAD_DIM;
constexpr int ROW_BYTES = D * 2;
constexpr float LOG2_E = 1.44269504f;
// Below every score, and finite: LOWEST - LOWEST is 0, where infinity - infinity is NaN.
constexpr float LOWEST = -1e30f;

/// Keys that a query sees: with a causal mask the last query sees the last key, whatever the two lengths are.
__device__ inline int visible_keys(int query, int queries, int keys) {
  return CAUSAL ? max(0, min(keys, query + keys - queries + 1)) : keys;
}

/// Two neighbours in one register, the first in the lower half.
__device__ inline unsigned pack_two(float first, float second) {
  const Pair two = from_floats(first, second);
  return *reinterpret_cast<const unsigned*>(&two);
}

/// One step of the online softmax: m rises to the largest score so far. Returns the factor that brings sums of
/// exp(score - old m) to the new m.
__device__ inline float update_maximum(float& m, float block_max, float scale_log2) {
  const float new_max = fmaxf(m, block_max);
  const float rescale = ex2_approx((m - new_max) * scale_log2);
  m = new_max;
  return rescale;
}

/// Maximum and sum over the four lanes that share a row of an accumulator.
__device__ inline float max_of_quad(float x) {
  x = fmaxf(x, __shfl_xor_sync(0xffffffff, x, 1));
  return fmaxf(x, __shfl_xor_sync(0xffffffff, x, 2));
}
__device__ inline float sum_of_quad(float x) {
  x += __shfl_xor_sync(0xffffffff, x, 1);
  return x + __shfl_xor_sync(0xffffffff, x, 2);
}

// ---- Tiles in shared memory, swizzled: the column of a chunk of 16 bytes (8 elements) depends on its row, so that the
// 8 rows that ldmatrix reads together start in 8 different groups of banks.

/// Byte offset of a chunk in a tile of D columns.
__device__ inline unsigned swizzled_offset(unsigned row, unsigned chunk) {
  return row * ROW_BYTES + (chunk ^ row % 8) * 16;
}

/// Copies tiles of one matrix to shared memory with cp.async. In each pass the threads copy ROWS_PER_PASS rows. That is
/// a multiple of 8, so a thread keeps its swizzled column, and all its addresses are one base plus a constant.
template <int COUNT>  // threads
struct TileCopy {
  static constexpr int CHUNKS = D / 8, ROWS_PER_PASS = COUNT / CHUNKS;  // CHUNKS: of a row
  static_assert(ROWS_PER_PASS % 8 == 0, "the swizzle repeats every 8 rows");
  const Element* source;  // the thread's first chunk
  unsigned offset;        // that chunk's, in the tile
  int row;

  __device__ explicit TileCopy(const Element* matrix)
      : source(matrix + threadIdx.x / CHUNKS * D + threadIdx.x % CHUNKS * 8),
        offset(swizzled_offset(threadIdx.x / CHUNKS, threadIdx.x % CHUNKS)),
        row(threadIdx.x / CHUNKS) {}

  /// Copies rows [first, first + ROWS). Rows from `rows` on are not read: they become zeros.
  template <int ROWS>
  __device__ void copy(unsigned tile, int first, int rows) const {
    const Element* from = source + static_cast<long long>(first) * D;
    if (first + ROWS <= rows) {
#pragma unroll
      for (int i = 0; i < ROWS; i += ROWS_PER_PASS) cp_async(tile + offset + i * ROW_BYTES, from + i * D, 16);
    } else {
#pragma unroll
      for (int i = 0; i < ROWS; i += ROWS_PER_PASS)
        cp_async(tile + offset + i * ROW_BYTES, from + i * D, first + row + i < rows ? 16 : 0);
    }
  }
};

// ---- Addresses for ldmatrix. From the offset of the first fragment, ^ 32 moves by 16 columns and + 16 · ROW_BYTES by
// 16 rows: tiles start on a multiple of 256 bytes, and the swizzle repeats every 8 rows.

/// An A fragment, 16 rows × 16 columns: lane l gives the address of row l % 16, chunk l / 16.
__device__ inline unsigned a_fragment_offset(unsigned row) {
  return swizzled_offset(row + threadIdx.x % 16, threadIdx.x % 32 / 16);
}
/// Two B fragments, 16 columns × 8 rows each, of a matrix that is multiplied transposed, as K in Q · K^T: b0 and b1 of
/// the rows 0 to 7, then of the rows 8 to 15.
__device__ inline unsigned b_fragment_offset(unsigned row) {
  const unsigned lane = threadIdx.x % 32;
  return swizzled_offset(row + lane / 16 * 8 + lane % 8, lane / 8 % 2);
}
