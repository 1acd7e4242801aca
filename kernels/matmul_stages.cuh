// A tile of C by a pipeline of stages: while one piece of A and B is multiplied, the next ones are on their way.
//
// STAGES  pieces of A and B that shared memory holds
#pragma once
#include "matmul_tiles.cuh"

// ldmatrix reads 8 rows of a chunk together; floats of a B by rows are read 4 rows of two chunks together.
constexpr Swizzle SWIZZLE_A = BY_ROW;
constexpr Swizzle SWIZZLE_B = B_LAYOUT == 0 && DTYPE == 2 ? BY_FOURS : BY_ROW;
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

// A CTA's way along K: STAGES pieces in shared memory, of which one is multiplied while the others are on their way,
// and two sets of fragments in registers, of which one is multiplied while the other is loaded. ALIGNED: rows of A and
// B begin on 16 bytes.
template <bool ALIGNED>
struct Pipeline {
  static constexpr unsigned STEPS = BK / MMA_K,
                            PARTS = STEPS - 1;  // of a piece; its copies are issued in so many parts
  CopiesOfA copies_a;
  CopiesOfB copies_b;
  Loads<SWIZZLE_A, SWIZZLE_B> loads;
  unsigned stages, reading, writing;  // where the stages begin, and the two of them that are in use
  int left, to_copy;                  // pieces that are not multiplied yet, and that no copy was issued for
  Fragments fragments[2];

  __device__ Pipeline(const Element* a, const Element* b, int m, int n, int depth, int2 tile)
      : copies_a(a, m, depth, tile.x * BM, 0),
        copies_b(copies_of_b(b, n, depth, tile.y * BN)),
        stages(shared_address(shared)),
        reading(stages),
        writing(stages + (STAGES - 1) * STAGE_BYTES),
        left((depth + BK - 1) / BK),
        to_copy(left - (STAGES - 1)) {}

  // STAGES - 1 pieces set out.
  __device__ void start() {
#pragma unroll
    for (int s = 0; s < STAGES - 1; ++s) {
      if (s > 0) next_piece();
      if (s < left) copy_part<ALIGNED, 1>(copies_a, copies_b, stages + s * STAGE_BYTES, 0);
      cp_async_commit_group();
    }
  }
  // The first one is waited for, and its first fragments are loaded.
  __device__ void begin() {
    cp_async_wait_group<STAGES - 2>();  // the piece is there,
    __syncthreads();                    // also what the other threads have copied of it
    loads.load(fragments[0], stages, 0);
  }
  __device__ void next_piece() {
    copies_a.next_piece();
    copies_b.next_piece();
  }

  // All of the piece is in registers: the next one must be there, and its stage is free for another.
  __device__ void wait() {
    cp_async_commit_group();
    cp_async_wait_group<STAGES - 2>();
    __syncthreads();
    writing = reading;
    // After the last piece the same one is loaded once more: cheaper than to ask before each load.
    if (left > 1) reading = reading + STAGE_BYTES == stages + STAGES * STAGE_BYTES ? stages : reading + STAGE_BYTES;
    --left;
    --to_copy;
  }
  __device__ void load(unsigned step) { loads.load(fragments[step % 2], reading, step % STEPS); }
  // The addresses move on before a piece's first copies, not after its last ones: a register that a copy has yet to
  // read cannot be written, and the warp would wait for that with all it has to multiply.
  __device__ void copy(unsigned part) {
    if (part == 0) next_piece();
    if (part < PARTS && to_copy > 0) copy_part<ALIGNED, PARTS>(copies_a, copies_b, writing, part);
  }
  __device__ void multiply(Sums& sum, unsigned step) {
    round_operands(fragments[step % 2]);
    ::multiply(sum, fragments[step % 2]);
  }
};
