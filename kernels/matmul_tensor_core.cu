// C = A · B on the tensor cores: A is M × K row-major, B is K × N, C is M × N row-major, of any size.
// Each rung removes one obstacle: bank conflicts and single loads, strips that are read again, the wait for a k-tile,
// the wait for fragments, the start and the end of a CTA.
//
// DTYPE     0: half, 1: bfloat16, 2: TF32      B_LAYOUT  0: B row-major, 1: column-major
// BM BN     tile of C of a CTA                 BK        extent along K of the k-tiles in shared memory
// WARPS     warps that share the tile          STAGES    k-tiles in shared memory      GROUP_M  tile rows in a group
//
// Each rung has two kernels: one for rows that begin on 16 bytes, and one, `..._unaligned`, that loads element by
// element. One kernel with a branch would need the registers of both. The host chooses once per launch.
#include "matmul_tiles.cuh"

// ---- Rung 1: mma.sync, with each register of a fragment read from shared memory by a load of its own.

// The 4 bytes that lane 4 g + t needs from a chunk in row g: word t.
template <class TILE>
__device__ unsigned word_of(const char* tile, unsigned row, unsigned chunk) {
  return *reinterpret_cast<const unsigned*>(tile + TILE::swizzled_offset(row, chunk) + threadIdx.x % 4 * 4);
}
// One element of a row-major B, as the low bits of a word.
template <class TILE>
__device__ unsigned element_of(const char* tile, unsigned row, unsigned column) {
  const char* at = tile + TILE::swizzled_offset(row, column / CHUNK) + column % CHUNK * sizeof(Element);
  return DTYPE == 2 ? *reinterpret_cast<const unsigned*>(at) : *reinterpret_cast<const unsigned short*>(at);
}

// The fragments of one step, as the table of registers in the PTX ISA says.
__device__ void load_words(Fragments& frag, const char* a_tile, const char* b_tile, unsigned step) {
  using A = TileA<NONE>;
  using B = TileB<NONE>;
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const unsigned g = lane / 4, t = lane % 4;
  const unsigned row = warp % WARPS_M * WM + g, column = warp / WARPS_M * WN + g;  // in the CTA's tile
#pragma unroll
  for (unsigned i = 0; i < WM / 16; ++i)
#pragma unroll
    for (unsigned r = 0; r < 4; ++r)  // rows g and g + 8 of one chunk, then of the next
      frag.a[i][r] = word_of<A>(a_tile, row + i * 16 + r % 2 * 8, step * 2 + r / 2);
#pragma unroll
  for (unsigned j = 0; j < WN / 16; ++j)
#pragma unroll
    for (unsigned r = 0; r < 4; ++r) {  // one chunk and the next of column g, then of g + 8
      const unsigned n = column + j * 16 + r / 2 * 8, k = step * MMA_K + r % 2 * CHUNK;
      if (B_LAYOUT == 1)
        frag.b[j][r] = word_of<B>(b_tile, n, step * 2 + r % 2);
      else if (DTYPE == 2)
        frag.b[j][r] = element_of<B>(b_tile, k + t, n);
      else  // two elements that are neighbours along K, but lie in different rows of B
        frag.b[j][r] = element_of<B>(b_tile, k + 2 * t, n) | element_of<B>(b_tile, k + 2 * t + 1, n) << 16;
    }
}

template <bool ALIGNED>
__device__ void mma_shared_tile(const Element* a, const Element* b, Element* c, int m, int n, int k, int2 tile) {
  const unsigned stage = shared_address(shared);
  StageLoader<ALIGNED, NONE, NONE> loader(a, b, m, n, k, tile);
  Accumulators acc = {};
  for (int done = 0; done < k; done += BK) {
    __syncthreads();  // all warps have read the last k-tile
    loader.load(stage);
    __syncthreads();  // the k-tile is complete
    loader.next_k_tile();
#pragma unroll
    for (unsigned step = 0; step < STEPS; ++step) {
      Fragments frag;
      load_words(frag, shared, shared + A_BYTES, step);
      multiply(acc, frag);
    }
  }
  store_tile<ALIGNED>(acc, c, m, n, tile);
}

extern "C" __global__ void __launch_bounds__(THREADS)
    mma_shared(const Element* a, const Element* b, Element* c, int m, int n, int k) {
  mma_shared_tile<true>(a, b, c, m, n, k, tile_at(blockIdx.x, m, n, 1));
}
extern "C" __global__ void __launch_bounds__(THREADS)
    mma_shared_unaligned(const Element* a, const Element* b, Element* c, int m, int n, int k) {
  mma_shared_tile<false>(a, b, c, m, n, k, tile_at(blockIdx.x, m, n, 1));
}

// ---- Rung 2: ldmatrix loads four registers of all lanes at once, from chunks that are swizzled: the 8 rows that it
// reads together begin in different banks.
template <bool ALIGNED>
__device__ void ldmatrix_tile(const Element* a, const Element* b, Element* c, int m, int n, int k, int2 tile) {
  const unsigned stage = shared_address(shared);
  StageLoader<ALIGNED> loader(a, b, m, n, k, tile);
  const FragmentLoader fragments;
  Accumulators acc = {};
  for (int done = 0; done < k; done += BK) {
    __syncthreads();  // all warps have read the last k-tile
    loader.load(stage);
    __syncthreads();  // the k-tile is complete
    loader.next_k_tile();
#pragma unroll
    for (unsigned step = 0; step < STEPS; ++step) {
      Fragments frag;
      fragments.load(frag, stage, step);
      multiply(acc, frag);
    }
  }
  store_tile<ALIGNED>(acc, c, m, n, tile);
}

extern "C" __global__ void __launch_bounds__(THREADS)
    ldmatrix_swizzled(const Element* a, const Element* b, Element* c, int m, int n, int k) {
  ldmatrix_tile<true>(a, b, c, m, n, k, tile_at(blockIdx.x, m, n, 1));
}
extern "C" __global__ void __launch_bounds__(THREADS)
    ldmatrix_swizzled_unaligned(const Element* a, const Element* b, Element* c, int m, int n, int k) {
  ldmatrix_tile<false>(a, b, c, m, n, k, tile_at(blockIdx.x, m, n, 1));
}

// ---- Rung 3: CTAs take the tiles of C in groups of GROUP_M tile rows, so that those which run together share strips
// of A and of B.
extern "C" __global__ void __launch_bounds__(THREADS)
    grouped_tiles(const Element* a, const Element* b, Element* c, int m, int n, int k) {
  ldmatrix_tile<true>(a, b, c, m, n, k, tile_at(blockIdx.x, m, n, GROUP_M));
}
extern "C" __global__ void __launch_bounds__(THREADS)
    grouped_tiles_unaligned(const Element* a, const Element* b, Element* c, int m, int n, int k) {
  ldmatrix_tile<false>(a, b, c, m, n, k, tile_at(blockIdx.x, m, n, GROUP_M));
}

// ---- Rung 4: cp.async copies later k-tiles while one is multiplied.
template <bool ALIGNED>
__device__ void multiply_in_stages(Accumulators& acc, Pipeline<ALIGNED>& pipeline, const FragmentLoader& fragments) {
#pragma unroll 1
  while (pipeline.left > 0) {
    pipeline.wait();
    pipeline.copy();  // a later k-tile, to the stage that was multiplied last
    cp_async_commit_group();
#pragma unroll
    for (unsigned step = 0; step < STEPS; ++step) {
      Fragments frag;
      fragments.load(frag, pipeline.reading, step);
      multiply(acc, frag);
    }
    pipeline.advance();
  }
}

template <bool ALIGNED>
__device__ void multi_stage_tile(const Element* a, const Element* b, Element* c, int m, int n, int k, int2 tile) {
  Pipeline<ALIGNED> pipeline(a, b, m, n, k, tile);
  const FragmentLoader fragments;
  Accumulators acc = {};
  pipeline.start();
  multiply_in_stages(acc, pipeline, fragments);
  store_tile<ALIGNED>(acc, c, m, n, tile);
}

extern "C" __global__ void __launch_bounds__(THREADS)
    multi_stage(const Element* a, const Element* b, Element* c, int m, int n, int k) {
  multi_stage_tile<true>(a, b, c, m, n, k, tile_at(blockIdx.x, m, n, GROUP_M));
}
extern "C" __global__ void __launch_bounds__(THREADS)
    multi_stage_unaligned(const Element* a, const Element* b, Element* c, int m, int n, int k) {
  multi_stage_tile<false>(a, b, c, m, n, k, tile_at(blockIdx.x, m, n, GROUP_M));
}

// ---- Rung 5: the fragments of a step are loaded while the step before it is multiplied: multiply_ahead of
// matmul_tiles.cuh in place of multiply_in_stages.
template <bool ALIGNED>
__device__ void double_buffered_tile(const Element* a, const Element* b, Element* c, int m, int n, int k, int2 tile) {
  Pipeline<ALIGNED> pipeline(a, b, m, n, k, tile);
  const FragmentLoader fragments;
  Accumulators acc = {};
  pipeline.start();
  multiply_ahead(acc, pipeline, fragments);
  store_tile<ALIGNED>(acc, c, m, n, tile);
}

extern "C" __global__ void __launch_bounds__(THREADS)
    double_buffered(const Element* a, const Element* b, Element* c, int m, int n, int k) {
  double_buffered_tile<true>(a, b, c, m, n, k, tile_at(blockIdx.x, m, n, GROUP_M));
}
extern "C" __global__ void __launch_bounds__(THREADS)
    double_buffered_unaligned(const Element* a, const Element* b, Element* c, int m, int n, int k) {
  double_buffered_tile<false>(a, b, c, m, n, k, tile_at(blockIdx.x, m, n, GROUP_M));
}

// ---- Rung 6: as many CTAs as the GPU holds at a time, each of which computes one tile after the other. A CTA of rung
// 5 has nothing to multiply until its first k-tile has arrived, and copies nothing while it writes C. Here the first
// copies of the next tile are in flight while this one is written.
template <bool ALIGNED>
__device__ void persistent_tiles(const Element* a, const Element* b, Element* c, int m, int n, int k) {
  const int tiles = (m + BM - 1) / BM * ((n + BN - 1) / BN);
  int2 tile = tile_at(blockIdx.x, m, n, GROUP_M);
  Pipeline<ALIGNED> pipeline(a, b, m, n, k, tile);
  const FragmentLoader fragments;
  pipeline.start();
#pragma unroll 1
  for (int index = blockIdx.x; index < tiles; index += gridDim.x) {
    Accumulators acc = {};
    multiply_ahead(acc, pipeline, fragments);
    const int2 done = tile;
    if (index + gridDim.x < tiles) {
      tile = tile_at(index + gridDim.x, m, n, GROUP_M);
      __syncthreads();  // all warps have read the last k-tile
      pipeline = Pipeline<ALIGNED>(a, b, m, n, k, tile);
      pipeline.start();
    }
    store_tile<ALIGNED>(acc, c, m, n, done);
  }
}

extern "C" __global__ void __launch_bounds__(THREADS)
    persistent(const Element* a, const Element* b, Element* c, int m, int n, int k) {
  persistent_tiles<true>(a, b, c, m, n, k);
}
extern "C" __global__ void __launch_bounds__(THREADS)
    persistent_unaligned(const Element* a, const Element* b, Element* c, int m, int n, int k) {
  persistent_tiles<false>(a, b, c, m, n, k);
}
