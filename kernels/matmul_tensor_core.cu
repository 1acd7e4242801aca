// C = A · B on the tensor cores: A is M × K by rows, B is K × N, C is M × N by rows, of any size.
// Each rung takes away what the one before it waits for: bank conflicts and single loads, then copies.
//
// DTYPE     0: half, 1: bfloat16, 2: TF32      B_LAYOUT 0: B by rows, 1: by columns
// BM BN     tile of C of a CTA                 BK       depth of A and B that shared memory holds at a time
// WARPS     warps that share the tile          STAGES   such pieces in shared memory      GROUP_M  tile rows in a group
//
// Each rung has two kernels: the usual one, and one for rows that do not begin on 16 bytes, which are gathered element
// by element. The wrapper decides once for a launch.
#include "matmul_stages.cuh"

// One piece of A and of B, through registers; nothing is multiplied meanwhile. ALIGNED: rows begin on 16 bytes.
template <bool ALIGNED, class COPIES_A, class COPIES_B>
__device__ void bring_piece(COPIES_A& a, COPIES_B& b, unsigned stage) {
  if (ALIGNED) {
    a.bring(stage);
    b.bring(stage + A_BYTES);
  } else {
    a.gather(stage, 0, COPIES_A::PASSES);
    b.gather(stage + A_BYTES, 0, COPIES_B::PASSES);
  }
  a.next_piece();
  b.next_piece();
}

// The word, of 4 bytes, that lane 4 g + t needs: word t of a chunk in the row of g.
template <class TILE>
__device__ unsigned word_of(const char* piece, unsigned row, unsigned chunk) {
  return *reinterpret_cast<const unsigned*>(piece + TILE::place(row, chunk) + threadIdx.x % 4 * 4);
}
// One element of a B by rows, as the low bits of a word.
template <class TILE>
__device__ unsigned element_of(const char* piece, unsigned row, unsigned column) {
  const char* at = piece + TILE::place(row, column / CHUNK) + column % CHUNK * sizeof(Element);
  return DTYPE == 2 ? *reinterpret_cast<const unsigned*>(at) : *reinterpret_cast<const unsigned short*>(at);
}

// Rung 1: mma.sync, with each register of a fragment read from shared memory as the program writes it down.
template <bool ALIGNED>
__device__ void multiply_from_shared(const Element* a, const Element* b, Element* c, int m, int n, int depth) {
  using A = TileOfA<NONE>;
  using B = TileOfB<NONE>;
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const unsigned g = lane / 4, t = lane % 4;
  const unsigned row = warp % WARPS_M * WM + g, column = warp / WARPS_M * WN + g;  // in the CTA's tile
  const int2 tile = tile_of_cta<1>(m, n);
  Copies<A, false> copies_a(a, m, depth, tile.x * BM, 0);
  Copies<B, B_LAYOUT == 0> copies_b(b, B_LAYOUT == 0 ? depth : n, B_LAYOUT == 0 ? n : depth,
                                    B_LAYOUT == 0 ? 0 : tile.y * BN, B_LAYOUT == 0 ? tile.y * BN : 0);
  const char *piece_a = shared, *piece_b = shared + A_BYTES;

  Sums sum = {};
  for (int done = 0; done < depth; done += BK) {
    __syncthreads();  // nobody reads the piece before any more
    bring_piece<ALIGNED>(copies_a, copies_b, shared_address(shared));
    __syncthreads();  // the piece is complete
#pragma unroll
    for (unsigned k = 0; k < BK / MMA_K; ++k) {
      Fragments now;
#pragma unroll
      for (unsigned i = 0; i < WM / 16; ++i)
#pragma unroll
        for (unsigned r = 0; r < 4; ++r)  // rows g and g + 8 of one chunk, then of the next
          now.a[i][r] = word_of<A>(piece_a, row + i * 16 + r % 2 * 8, k * 2 + r / 2);
#pragma unroll
      for (unsigned j = 0; j < WN / 16; ++j)
#pragma unroll
        for (unsigned r = 0; r < 4; ++r) {  // one chunk and the next of column g, then of g + 8
          const unsigned n_at = column + j * 16 + r / 2 * 8, k_at = k * MMA_K + r % 2 * CHUNK;
          if (B_LAYOUT == 1)
            now.b[j][r] = word_of<B>(piece_b, n_at, k * 2 + r % 2);
          else if (DTYPE == 2)
            now.b[j][r] = element_of<B>(piece_b, k_at + t, n_at);
          else  // two elements that are neighbours in K, but lie in different rows of B
            now.b[j][r] = element_of<B>(piece_b, k_at + 2 * t, n_at) | element_of<B>(piece_b, k_at + 2 * t + 1, n_at)
                                                                           << 16;
        }
      round_operands(now);
      multiply(sum, now);
    }
  }
  store_tile<ALIGNED>(sum, c, m, n, tile);
}

extern "C" __global__ void __launch_bounds__(THREADS)
    mma_shared(const Element* a, const Element* b, Element* c, int m, int n, int depth) {
  multiply_from_shared<true>(a, b, c, m, n, depth);
}
extern "C" __global__ void __launch_bounds__(THREADS)
    mma_shared_unaligned(const Element* a, const Element* b, Element* c, int m, int n, int depth) {
  multiply_from_shared<false>(a, b, c, m, n, depth);
}

// Rung 2: ldmatrix reads four registers of all lanes at once, from chunks that are swizzled so that no two rows of a
// matrix begin in the same bank.
template <bool ALIGNED>
__device__ void multiply_with_ldmatrix(const Element* a, const Element* b, Element* c, int m, int n, int depth) {
  const unsigned stage = shared_address(shared);
  const int2 tile = tile_of_cta<1>(m, n);
  CopiesOfA copies_a(a, m, depth, tile.x * BM, 0);
  CopiesOfB copies_b = copies_of_b(b, n, depth, tile.y * BN);
  const Loads<SWIZZLE_A, SWIZZLE_B> loads;

  Sums sum = {};
  for (int done = 0; done < depth; done += BK) {
    __syncthreads();
    bring_piece<ALIGNED>(copies_a, copies_b, stage);
    __syncthreads();
#pragma unroll
    for (unsigned k = 0; k < BK / MMA_K; ++k) {
      Fragments now;
      loads.load(now, stage, k);
      round_operands(now);
      multiply(sum, now);
    }
  }
  store_tile<ALIGNED>(sum, c, m, n, tile);
}

extern "C" __global__ void __launch_bounds__(THREADS)
    ldmatrix_swizzled(const Element* a, const Element* b, Element* c, int m, int n, int depth) {
  multiply_with_ldmatrix<true>(a, b, c, m, n, depth);
}
extern "C" __global__ void __launch_bounds__(THREADS)
    ldmatrix_swizzled_unaligned(const Element* a, const Element* b, Element* c, int m, int n, int depth) {
  multiply_with_ldmatrix<false>(a, b, c, m, n, depth);
}

// Rung 3: cp.async brings pieces while others are multiplied, fragments are loaded one step ahead, and CTAs take tiles
// in groups.
template <bool ALIGNED>
__device__ void multiply_pieces(Sums& sum, Pipeline<ALIGNED>& pipeline) {
  pipeline.begin();
#pragma unroll 1
  while (pipeline.left > 0)
#pragma unroll
    for (unsigned k = 0; k < pipeline.STEPS; ++k) {
      if (k + 1 == pipeline.STEPS) pipeline.wait();
      pipeline.load(k + 1);  // fragments, one step ahead
      pipeline.copy(k);      // a part of a later piece
      pipeline.multiply(sum, k);
    }
}

template <bool ALIGNED>
__device__ void multiply_one_tile(const Element* a, const Element* b, Element* c, int m, int n, int depth) {
  const int2 tile = tile_of_cta<GROUP_M>(m, n);
  Pipeline<ALIGNED> pipeline(a, b, m, n, depth, tile);
  pipeline.start();
  Sums sum = {};
  multiply_pieces(sum, pipeline);
  store_tile<ALIGNED>(sum, c, m, n, tile);
}

extern "C" __global__ void __launch_bounds__(THREADS)
    multi_stage(const Element* a, const Element* b, Element* c, int m, int n, int depth) {
  multiply_one_tile<true>(a, b, c, m, n, depth);
}

// The same for rows that do not begin on 16 bytes: cp.async cannot copy those, so they go through registers.
extern "C" __global__ void __launch_bounds__(THREADS)
    multi_stage_unaligned(const Element* a, const Element* b, Element* c, int m, int n, int depth) {
  multiply_one_tile<false>(a, b, c, m, n, depth);
}

// Rung 4: as many CTAs as the GPU holds at a time, each of which computes tile after tile. A CTA of rung 3 that begins
// has nothing to multiply until its first piece is there, and one that writes its tile copies nothing. Here the first
// pieces of the next tile set out before this one is written.
template <bool ALIGNED>
__device__ void multiply_many_tiles(const Element* a, const Element* b, Element* c, int m, int n, int depth) {
  const int tiles = (m + BM - 1) / BM * ((n + BN - 1) / BN);
  int2 tile = tile_of_cta<GROUP_M>(m, n);
  Pipeline<ALIGNED> pipeline(a, b, m, n, depth, tile);
  pipeline.start();
#pragma unroll 1
  for (int index = blockIdx.x; index < tiles; index += gridDim.x) {
    Sums sum = {};
    multiply_pieces(sum, pipeline);
    const int2 done = tile;
    if (index + gridDim.x < tiles) {
      tile = tile_at<GROUP_M>(index + gridDim.x, m, n);
      __syncthreads();  // all warps have read the last piece
      pipeline = Pipeline<ALIGNED>(a, b, m, n, depth, tile);
      pipeline.start();
    }
    store_tile<ALIGNED>(sum, c, m, n, done);
  }
}

extern "C" __global__ void __launch_bounds__(THREADS)
    persistent(const Element* a, const Element* b, Element* c, int m, int n, int depth) {
  multiply_many_tiles<true>(a, b, c, m, n, depth);
}
extern "C" __global__ void __launch_bounds__(THREADS)
    persistent_unaligned(const Element* a, const Element* b, Element* c, int m, int n, int depth) {
  multiply_many_tiles<false>(a, b, c, m, n, depth);
}
