// A tile of C by a pipeline of stages: while one piece of A and B is multiplied, the next ones are on their way.
//
// STAGES  pieces of A and B that shared memory holds
#pragma once
#include "matmul_tiles.cuh"

// ldmatrix reads 8 rows of a chunk together; floats of a B by rows are read 4 rows of two chunks together.
constexpr Swizzle SWIZZLE_A = UNSWIZZLED ? NONE : BY_ROW;
constexpr Swizzle SWIZZLE_B = UNSWIZZLED ? NONE : B_LAYOUT == 0 && DTYPE == 2 ? BY_FOURS : BY_ROW;
using CopiesOfA = Copies<TileOfA<SWIZZLE_A>, false>;
using CopiesOfB = Copies<TileOfB<SWIZZLE_B>, B_LAYOUT == 0>;

__device__ inline CopiesOfB copies_of_b(const Element* b, int n, int depth, int column) {
  return B_LAYOUT == 0 ? CopiesOfB(b, depth, n, 0, column) : CopiesOfB(b, n, depth, column, 0);
}

// The copies of a piece, in PARTS: issued together they would stand in the way of the loads of fragments.
template <bool ALIGNED, unsigned PARTS>
__device__ void copy_part(const CopiesOfA& a, const CopiesOfB& b, unsigned stage, unsigned part) {
  const unsigned a_first = CopiesOfA::PASSES * part / PARTS, a_last = CopiesOfA::PASSES * (part + 1) / PARTS;
  const unsigned b_first = CopiesOfB::PASSES * part / PARTS, b_last = CopiesOfB::PASSES * (part + 1) / PARTS;
  if (ALIGNED) {
    a.start(stage, a_first, a_last);
    b.start(stage + A_BYTES, b_first, b_last);
  } else {
    a.gather(stage, a_first, a_last);
    b.gather(stage + A_BYTES, b_first, b_last);
  }
}

// sum = A · B for the CTA's tile. ALIGNED: rows of A and B begin on 16 bytes.
template <bool ALIGNED>
__device__ void multiply_tile(Sums& sum, const Element* a, const Element* b, int m, int n, int depth, int2 tile) {
  const unsigned stages = shared_address(shared), end = stages + STAGES * STAGE_BYTES;
  const int pieces = (depth + BK - 1) / BK;
  CopiesOfA copies_a(a, m, depth, tile.x * BM, 0);
  CopiesOfB copies_b = copies_of_b(b, n, depth, tile.y * BN);
  const Loads<SWIZZLE_A, SWIZZLE_B> loads;
  constexpr unsigned STEPS = BK / MMA_K, PARTS = STEPS - 1;

#pragma unroll
  for (int s = 0; s < STAGES - 1; ++s) {
    if (s < pieces) copy_part<ALIGNED, 1>(copies_a, copies_b, stages + s * STAGE_BYTES, 0);
    copies_a.next_piece();
    copies_b.next_piece();
    cp_async_commit_group();
  }
  if (!DROP_WAIT) cp_async_wait_group<STAGES - 2>();  // the first piece is there,
  __syncthreads();                                    // also what the other threads have copied of it

  Fragments fragments[2];  // one is multiplied while the other is loaded
  loads.load(fragments[0], stages, 0);
  unsigned reading = stages, writing = stages + (STAGES - 1) * STAGE_BYTES;
#pragma unroll 1
  for (int piece = 0; piece < pieces; ++piece) {
    const bool more = piece + STAGES - 1 < pieces;
#pragma unroll
    for (unsigned k = 0; k < STEPS; ++k) {
      const bool last = k + 1 == STEPS;
      if (last) {  // of this piece all is in registers; the next one must be there, and the oldest is free
        copies_a.next_piece();
        copies_b.next_piece();
        cp_async_commit_group();
        if (!DROP_WAIT) cp_async_wait_group<STAGES - 2>();
        if (!DROP_BARRIER) __syncthreads();
        writing = reading;
        // After the last piece the same one is loaded once more: cheaper than to ask before each load.
        if (piece + 1 < pieces) reading = reading + STAGE_BYTES == end ? stages : reading + STAGE_BYTES;
      }
      loads.load(fragments[(k + 1) % 2], reading, (k + 1) % STEPS);
      if (!last && more) copy_part<ALIGNED, PARTS>(copies_a, copies_b, writing, k);
      round_operands(fragments[k % 2]);
      multiply(sum, fragments[k % 2]);
    }
  }
}
