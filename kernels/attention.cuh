// What the forward and the backward pass of attention share: elements of 16 bits, tiles of them in shared memory, and
// the fragments in which the tensor cores want them. Matrices have D columns and lie row after row.
//
// HEAD_DIM  columns of Q, K, V and O: 64 or 128      DTYPE  0: fp16, 1: bf16
// CAUSAL    1: a query sees no key that comes later
#pragma once

#if DTYPE == 1
#include <cuda_bf16.h>
using Element = __nv_bfloat16;
#else
#include <cuda_fp16.h>
using Element = half;
#endif

#include "common.cuh"

constexpr int D = HEAD_DIM;
constexpr int ROW_BYTES = D * 2;
constexpr float LOG2_E = 1.44269504f;
// Below every score, and finite: its difference from itself is 0, where that of infinity is no number.
constexpr float LOWEST = -1e30f;
__device__ inline float negative_infinity() { return __int_as_float(0xff800000); }

/// Keys that a query sees: with a causal mask the last query sees the last key, whatever the two lengths are.
__device__ inline int visible_keys(int query, int queries, int keys) {
  return CAUSAL ? max(0, min(keys, query + keys - queries + 1)) : keys;
}

__device__ inline float to_float(Element x) { return static_cast<float>(x); }
/// Two neighbours in one register, the first in the lower half.
__device__ inline unsigned pack_two(float first, float second) {
#if DTYPE == 1
  const __nv_bfloat162 two = __floats2bfloat162_rn(first, second);
#else
  const half2 two = __floats2half2_rn(first, second);
#endif
  return *reinterpret_cast<const unsigned*>(&two);
}

/// d += a · b on the tensor cores, as mma_m16n8k16 of common.cuh, for either type of the elements [mma].
__device__ inline void mma_elements(float (&d)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
#if DTYPE == 1
  asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
#else
  mma_m16n8k16(d, a, b0, b1);
#endif
}

/// Largest, or sum, over the four lanes that share a row of an accumulator.
__device__ inline float max_of_quad(float x) {
  x = fmaxf(x, __shfl_xor_sync(0xffffffff, x, 1));
  return fmaxf(x, __shfl_xor_sync(0xffffffff, x, 2));
}
__device__ inline float sum_of_quad(float x) {
  x += __shfl_xor_sync(0xffffffff, x, 1);
  return x + __shfl_xor_sync(0xffffffff, x, 2);
}

// ---- Tiles in shared memory. A chunk of 16 bytes (8 elements) lies at a column that depends on its row, so that the 8
// rows which ldmatrix reads together start in 8 different groups of banks.

/// Bytes from the start of a tile of D columns.
__device__ inline unsigned place(unsigned row, unsigned chunk) { return row * ROW_BYTES + (chunk ^ row % 8) * 16; }

/// The rows of one matrix on their way to shared memory. The threads share a tile in passes; from pass to pass a thread
/// keeps its column and its row's place among 8, so that all its addresses are one base and a constant.
template <int COUNT>  // threads
struct TileCopy {
  static constexpr int CHUNKS = D / 8, PASS = COUNT / CHUNKS;  // chunks of a row; rows of a pass
  static_assert(PASS % 8 == 0, "the order of chunks repeats every 8 rows");
  const Element* from;
  unsigned to;
  int row;

  __device__ explicit TileCopy(const Element* matrix)
      : from(matrix + threadIdx.x / CHUNKS * D + threadIdx.x % CHUNKS * 8),
        to(place(threadIdx.x / CHUNKS, threadIdx.x % CHUNKS)),
        row(threadIdx.x / CHUNKS) {}

  /// Rows [first, first + ROWS); of those past `rows` nothing is read, and they become zeros.
  template <int ROWS>
  __device__ void copy(unsigned tile, int first, int rows) const {
    const Element* at = from + static_cast<long long>(first) * D;
    if (first + ROWS <= rows) {
#pragma unroll
      for (int i = 0; i < ROWS; i += PASS) cp_async(tile + to + i * ROW_BYTES, at + i * D, 16);
    } else {
#pragma unroll
      for (int i = 0; i < ROWS; i += PASS)
        cp_async(tile + to + i * ROW_BYTES, at + i * D, first + row + i < rows ? 16 : 0);
    }
  }
};

// ---- Fragments. An address of a lane differs from step to step in a few bits of the chunk, which is one XOR, or in
// whole rows, which is a constant: tiles start on a multiple of 256 bytes. l is the lane.

/// 16 rows × 16 columns as the left operand: lane l names row l % 16 and chunk l / 16. From there: ^ 32 for each 16
/// columns, + 16 · ROW_BYTES for each 16 rows.
__device__ inline unsigned left_place(unsigned row) { return place(row + threadIdx.x % 16, threadIdx.x % 32 / 16); }
/// 16 rows × 16 columns as two right operands of a product along the columns (b0, b1 of rows 0 to 7, then of 8 to 15):
/// K in Q · K^T.
__device__ inline unsigned right_place(unsigned row) {
  const unsigned lane = threadIdx.x % 32;
  return place(row + lane / 16 * 8 + lane % 8, lane / 8 % 2);
}
