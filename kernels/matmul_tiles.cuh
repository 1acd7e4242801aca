// The parts of a matmul on the tensor cores, in the order in which an element passes through them: a k-tile of A and of
// B goes to shared memory, fragments of it to registers, accumulators to C.
//
// BM BN   tile of C that one CTA computes      BK        extent along K of a k-tile, the slice in shared memory
// WARPS   warps that share the tile            STAGES    k-tiles in shared memory, for kernels with a Pipeline
// B_LAYOUT  0: B is row-major, K × N; 1: column-major, with B[k][n] at b[n · K + k]
#pragma once
#define TENSOR_CORES
#include "elements.cuh"
#include "tile_order.cuh"

constexpr unsigned THREADS = 32 * WARPS;

// Rows of warps over the tile of C. For each step along K a warp reads WM rows of A and WN columns of B from shared
// memory. A square warp tile needs the fewest of both for the same number of products.
constexpr unsigned warp_rows() {
  unsigned best = 0;
  for (unsigned rows = 1; rows <= WARPS; rows *= 2) {
    const bool possible = BM % (16 * rows) == 0 && BN * rows % (16 * WARPS) == 0;
    if (possible && (best == 0 || BM / rows + BN * rows / WARPS < BM / best + BN * best / WARPS)) best = rows;
  }
  return best;
}
constexpr unsigned WARPS_M = warp_rows(), WARPS_N = WARPS / WARPS_M;
constexpr unsigned WM = BM / WARPS_M, WN = BN / WARPS_N;  // tile of one warp
constexpr unsigned STEPS = BK / MMA_K;                    // mma along K in one k-tile

// The registers of one lane.
using Accumulators = float[WM / 16][WN / 8][4];  // (16 × 8 tiles of the warp tile, the lane's share of each)
struct Fragments {                               // for one step
  unsigned a[WM / 16][4];                        // WM × MMA_K: a 16 × MMA_K tile in four registers
  unsigned b[WN / 16][4];                        // MMA_K × WN: two MMA_K × 8 tiles in two registers each
};

// The tile of C at `index` (tile row, tile column), in groups of `group` tile rows.
__device__ inline int2 tile_at(int index, int m, int n, int group) {
  return grouped_tile(index, (m + BM - 1) / BM, (n + BN - 1) / BN, group);
}

// ---- Shared memory

extern __shared__ __align__(128) char shared[];          // (stages, STAGE_BYTES)
constexpr unsigned A_BYTES = BM * BK * sizeof(Element);  // BM × BK
constexpr unsigned B_BYTES = BK * BN * sizeof(Element);  // BK × BN, or with B_LAYOUT 1 BN × BK
constexpr unsigned STAGE_BYTES = A_BYTES + B_BYTES;

// How the chunks of 16 bytes in a row are permuted, so that rows which one instruction reads lie in different banks.
// ldmatrix reads 8 rows of one chunk; floats of a row-major B are read as 4 rows of two chunks.
enum Swizzle { NONE, EIGHT_ROWS, FOUR_ROWS };
constexpr Swizzle SWIZZLE_A = EIGHT_ROWS;
constexpr Swizzle SWIZZLE_B = B_LAYOUT == 0 && DTYPE == 2 ? FOUR_ROWS : EIGHT_ROWS;

// Where the chunks of a k-tile of one matrix lie in shared memory. The tile is cut into panels of at most 8 chunks (128
// bytes: all banks once) in a row, one panel after the other.
template <unsigned ROWS_, unsigned COLUMNS, Swizzle SWIZZLE>
struct Tile {
  static constexpr unsigned ROWS = ROWS_, CHUNKS = COLUMNS / CHUNK, PANEL = CHUNKS < 8 ? CHUNKS : 8;
  static constexpr unsigned PITCH = PANEL * 16, PANEL_BYTES = ROWS * PITCH;  // bytes per row of a panel, and per panel

  // What the column of a chunk in its panel is XORed with.
  __device__ static unsigned swizzle(unsigned row) {
    if (SWIZZLE == EIGHT_ROWS) return row * PANEL / 8 % PANEL;  // two rows of 64 bytes fill the banks once
    return SWIZZLE == FOUR_ROWS ? row % 4 * 2 : 0;
  }
  // In bytes from the start of the tile.
  __device__ static unsigned swizzled_offset(unsigned row, unsigned chunk) {
    return chunk / PANEL * PANEL_BYTES + row * PITCH + (chunk % PANEL ^ swizzle(row)) * 16;
  }
  // From the swizzled offset of chunk c, 0 or 1, to that of chunk c + chunks, an even number. These two are added by
  // XOR, and so is the swizzle: the order does not matter.
  __device__ static unsigned move_along_row(unsigned offset, unsigned chunks) {
    return chunks / PANEL * PANEL_BYTES + (offset ^ chunks % PANEL * 16);
  }
};
template <Swizzle SWIZZLE>
using TileA = Tile<BM, BK, SWIZZLE>;
template <Swizzle SWIZZLE>
using TileB = Tile<B_LAYOUT == 0 ? BK : BN, B_LAYOUT == 0 ? BN : BK, SWIZZLE>;

// ---- Global to shared memory

// A chunk of which only the first `count` elements are inside of the matrix. Its address may be any; the rest is zero.
__device__ inline uint4 gather_chunk(const Element* from, int count) {
  alignas(16) Element chunk[CHUNK];
#pragma unroll
  for (int i = 0; i < int{CHUNK}; ++i) chunk[i] = i < count ? from[i] : from_float(0);
  return *reinterpret_cast<const uint4*>(chunk);
}

// Loads the k-tiles of one matrix, one after the other along K. The CTA loads a k-tile in PASSES; in each of them a
// thread loads one chunk, always in the same column of a panel. Elements outside of the matrix become zero, which adds
// nothing to C. K runs along the rows of the matrix, or with K_DOWN along its columns.
template <class TILE, bool K_DOWN>
struct TileLoader {
  static constexpr unsigned ROWS = THREADS / TILE::PANEL, PASSES = TILE::CHUNKS * TILE::ROWS / THREADS;
  static_assert(TILE::ROWS % ROWS == 0 && ROWS % 8 == 0, "passes are whole rows, and the swizzle repeats in each");
  const Element* first;         // chunk of pass 0 in global memory,
  unsigned offset;              // and in the tile
  long long pitch;              // elements from row to row of the matrix
  int rows_left, columns_left;  // from that chunk to the end of the matrix

  // `row`, `column`: where the first k-tile begins in a matrix of `rows` × `columns`.
  __device__ TileLoader(const Element* matrix, int rows, int columns, int row, int column) {
    const unsigned my_row = threadIdx.x / TILE::PANEL, my_chunk = threadIdx.x % TILE::PANEL;
    pitch = columns;
    rows_left = rows - row - my_row;
    columns_left = columns - column - my_chunk * CHUNK;
    first = matrix + (row + my_row) * pitch + column + my_chunk * CHUNK;
    offset = TILE::swizzled_offset(my_row, my_chunk);
  }

  // Rows and columns from the chunk of pass 0 to that of `pass`.
  __device__ static constexpr int row_of(unsigned pass) { return pass * ROWS % TILE::ROWS; }
  __device__ static constexpr int column_of(unsigned pass) { return pass * ROWS / TILE::ROWS * TILE::PANEL * CHUNK; }
  __device__ const Element* source(unsigned pass) const { return first + row_of(pass) * pitch + column_of(pass); }
  // Elements of the chunk and to the right of it that are inside; with aligned rows a chunk is inside or outside.
  __device__ int inside(unsigned pass) const {
    return row_of(pass) < rows_left ? max(0, columns_left - column_of(pass)) : 0;
  }

  // The whole k-tile through registers. All loads are issued before the first store, so there is one wait, not PASSES.
  __device__ void load(unsigned tile) const {
    uint4 chunk[PASSES];
#pragma unroll
    for (unsigned p = 0; p < PASSES; ++p)
      chunk[p] = inside(p) > 0 ? *reinterpret_cast<const uint4*>(source(p)) : uint4{};
#pragma unroll
    for (unsigned p = 0; p < PASSES; ++p) st_shared_v4(tile + offset + p * THREADS * 16, chunk[p]);
  }
  // Passes [begin, end) by cp.async, which returns before the bytes have arrived.
  __device__ void copy_async(unsigned tile, unsigned begin, unsigned end) const {
#pragma unroll
    for (unsigned p = 0; p < PASSES; ++p)
      if (p >= begin && p < end) cp_async(tile + offset + p * THREADS * 16, source(p), inside(p) > 0 ? 16 : 0);
  }
  // The same element by element, for rows that do not begin on 16 bytes: cp.async cannot copy those.
  __device__ void gather(unsigned tile, unsigned begin, unsigned end) const {
#pragma unroll
    for (unsigned p = 0; p < PASSES; ++p)
      if (p >= begin && p < end) st_shared_v4(tile + offset + p * THREADS * 16, gather_chunk(source(p), inside(p)));
  }
  __device__ void next_k_tile() {
    first += K_DOWN ? BK * pitch : BK;
    (K_DOWN ? rows_left : columns_left) -= BK;
  }
};

// Loads the k-tiles of A and B for one tile of C into a stage of shared memory. ALIGNED: rows begin on 16 bytes.
template <bool ALIGNED, Swizzle A_SWIZZLE = SWIZZLE_A, Swizzle B_SWIZZLE = SWIZZLE_B>
struct StageLoader {
  using LoaderA = TileLoader<TileA<A_SWIZZLE>, false>;
  using LoaderB = TileLoader<TileB<B_SWIZZLE>, B_LAYOUT == 0>;
  LoaderA a;  // BM × BK at a time
  LoaderB b;  // BK × BN

  __device__ StageLoader(const Element* matrix_a, const Element* matrix_b, int m, int n, int k, int2 tile)
      : a(matrix_a, m, k, tile.x * BM, 0),
        b(B_LAYOUT == 0 ? LoaderB(matrix_b, k, n, 0, tile.y * BN) : LoaderB(matrix_b, n, k, tile.y * BN, 0)) {}

  __device__ void load(unsigned stage) const {
    if (ALIGNED) {
      a.load(stage);
      b.load(stage + A_BYTES);
    } else {
      copy_async(stage);  // these rows are gathered in either case
    }
  }
  // Part `part` of `parts`, so that the copies of a k-tile need not be issued all together.
  __device__ void copy_async(unsigned stage, unsigned part = 0, unsigned parts = 1) const {
    const unsigned a_begin = LoaderA::PASSES * part / parts, a_end = LoaderA::PASSES * (part + 1) / parts;
    const unsigned b_begin = LoaderB::PASSES * part / parts, b_end = LoaderB::PASSES * (part + 1) / parts;
    if (ALIGNED) {
      a.copy_async(stage, a_begin, a_end);
      b.copy_async(stage + A_BYTES, b_begin, b_end);
    } else {
      a.gather(stage, a_begin, a_end);
      b.gather(stage + A_BYTES, b_begin, b_end);
    }
  }
  __device__ void next_k_tile() {
    a.next_k_tile();
    b.next_k_tile();
  }
};

// STAGES k-tiles of A and B in shared memory: one is multiplied while the copies of the others are in flight.
template <bool ALIGNED>
struct Pipeline {
  StageLoader<ALIGNED> loader;
  unsigned stages;    // address of (STAGES, STAGE_BYTES)
  unsigned reading;   // the stage that is multiplied,
  unsigned writing;   // and the one that is copied to
  int left, to_copy;  // k-tiles that are not multiplied yet, and of which no copy was issued

  __device__ Pipeline(const Element* a, const Element* b, int m, int n, int k, int2 tile)
      : loader(a, b, m, n, k, tile),
        stages(shared_address(shared)),
        reading(stages),
        writing(stages + (STAGES - 1) * STAGE_BYTES),
        left((k + BK - 1) / BK),
        to_copy(left - (STAGES - 1)) {}

  // Issues the copies of the first STAGES - 1 k-tiles, each as a group.
  __device__ void start() {
#pragma unroll
    for (int s = 0; s < STAGES - 1; ++s) {
      if (s > 0) loader.next_k_tile();
      if (s < left) loader.copy_async(stages + s * STAGE_BYTES);
      cp_async_commit_group();
    }
  }
  // Waits for the oldest k-tile in flight.
  __device__ void wait() const {
    cp_async_wait_group<STAGES - 2>();  // this thread's copies have arrived,
    __syncthreads();                    // and so have those of the other threads
  }
  // Issues part `part` of `parts` of the copies of the next k-tile. The addresses advance before its first part, not
  // after its last one: a register that a copy in flight still reads cannot be written, and the warp would wait for it.
  __device__ void copy(unsigned part = 0, unsigned parts = 1) {
    if (part == 0) loader.next_k_tile();
    if (part < parts && to_copy > 0) loader.copy_async(writing, part, parts);
  }
  // Moves on by one stage. The stage that was read is written next, but not before a barrier: other warps may still
  // read.
  __device__ void advance() {
    writing = reading;
    // After the last k-tile `reading` stays: loading its fragments again is cheaper than a condition on each load.
    if (left > 1) reading = reading + STAGE_BYTES == stages + STAGES * STAGE_BYTES ? stages : reading + STAGE_BYTES;
    --left;
    --to_copy;
  }
};

// ---- Shared memory to registers

// Loads fragments with ldmatrix. The offsets of a lane are computed once: from step to step they differ in a few bits
// of the chunk or by a fixed number of rows, so that a load in the loop needs at most one XOR.
struct FragmentLoader {
  using A = TileA<SWIZZLE_A>;
  using B = TileB<SWIZZLE_B>;
  static constexpr unsigned STARTS = B_LAYOUT == 0 ? WN / 16 : 1;
  unsigned a;          // bytes from the start of a stage to the row of A that this lane supplies first
  unsigned b[STARTS];  // the same for B; row-major, chunks of every 16 columns are swizzled differently

  __device__ FragmentLoader() {
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const unsigned row = warp % WARPS_M * WM, column = warp / WARPS_M * WN;
    a = A::swizzled_offset(row + lane % 16, lane / 16);
#pragma unroll
    for (unsigned j = 0; j < STARTS; ++j) {
      if (B_LAYOUT == 1)
        b[j] = A_BYTES + B::swizzled_offset(column + lane / 16 * 8 + lane % 8, lane / 8 % 2);
      else if (DTYPE == 2)
        b[j] = A_BYTES + B::swizzled_offset(lane % 4, (column + j * 16 + lane / 4) / CHUNK) + lane / 4 % CHUNK * 4;
      else
        b[j] = A_BYTES + B::swizzled_offset(lane % 16, column / CHUNK + j * 2 + lane / 16);
    }
  }

  // The fragments of one step, from the stage at this address.
  __device__ void load(Fragments& frag, unsigned stage, unsigned step) const {
    const unsigned a_row = stage + A::move_along_row(a, step * 2);  // a step is two chunks of a row of A
#pragma unroll
    for (unsigned i = 0; i < WM / 16; ++i) ldmatrix_x4(frag.a[i], a_row + i * 16 * A::PITCH);
#pragma unroll
    for (unsigned j = 0; j < WN / 16; ++j) {
      if (B_LAYOUT == 1)
        ldmatrix_x4(frag.b[j], stage + B::move_along_row(b[0], step * 2) + j * 16 * B::PITCH);
      else if (DTYPE == 2)
        load_floats(frag.b[j], stage + b[j % STARTS] + step * MMA_K * B::PITCH);
      else
        ldmatrix_x4_trans(frag.b[j], stage + b[j % STARTS] + step * MMA_K * B::PITCH);
    }
  }

  // ldmatrix transposes elements of two bytes only. The floats of a row-major B are loaded one by one: rows t and t + 4
  // of column g, then of column g + 8, which is two chunks further.
  __device__ static void load_floats(unsigned (&b)[4], unsigned address) {
#pragma unroll
    for (unsigned r = 0; r < 4; ++r) b[r] = ld_shared((address ^ r / 2 * 32) + r % 2 * 4 * B::PITCH);
  }
};

// ---- Registers

// acc += a · b for the warp tile, one step along K.
__device__ inline void multiply(Accumulators& acc, Fragments& frag) {
#pragma unroll
  for (auto& four : frag.a)
    for (unsigned& bits : four) bits = round_operand(bits);
#pragma unroll
  for (auto& four : frag.b)
    for (unsigned& bits : four) bits = round_operand(bits);
#pragma unroll
  for (int i = 0; i < WM / 16; ++i)
#pragma unroll
    for (int column = 0; column < WN / 8; ++column) {
      // Serpentine: odd rows run backwards, so that each mma, the first of a row too, shares an operand with the one
      // before it, and its registers can be reused.
      const int j = i % 2 == 0 ? column : WN / 8 - 1 - column;
      mma_elements(acc[i][j], frag.a[i], frag.b[j / 2][j % 2 * 2], frag.b[j / 2][j % 2 * 2 + 1]);
    }
}

// ---- The loop along K, with fragments that are loaded one step ahead

// acc += A · B for one tile of C. The fragments of a step are loaded while the step before it is multiplied. The copies
// of a k-tile are issued in parts, between the steps: all at once they would delay the loads of fragments.
template <bool ALIGNED>
__device__ void multiply_ahead(Accumulators& acc, Pipeline<ALIGNED>& pipeline, const FragmentLoader& fragments) {
  Fragments frag[2];  // (step % 2)
  pipeline.wait();
  fragments.load(frag[0], pipeline.reading, 0);
#pragma unroll 1
  while (pipeline.left > 0)
#pragma unroll
    for (unsigned step = 0; step < STEPS; ++step) {
      if (step + 1 == STEPS) {  // the next fragments are those of the next k-tile
        cp_async_commit_group();
        pipeline.wait();
        pipeline.advance();
      }
      fragments.load(frag[(step + 1) % 2], pipeline.reading, (step + 1) % STEPS);
      pipeline.copy(step, STEPS - 1);
      multiply(acc, frag[step % 2]);
    }
}

// ---- Registers to C

// The lane's first row and column of C. In each 16 × 8 tile it has two neighbours of this row, and of the row 8 below.
__device__ inline int first_row_of_lane(int tile_m) {
  return tile_m * BM + threadIdx.x / 32 % WARPS_M * WM + threadIdx.x % 32 / 4;
}
__device__ inline int first_column_of_lane(int tile_n) {
  return tile_n * BN + threadIdx.x / 32 / WARPS_M * WN + threadIdx.x % 4 * 2;
}

// A lane has a pair in a row of each of two neighbouring 16 × 8 tiles of 2-byte elements. Even lanes give their right
// pair for the left pair of the odd lane beside them. Then the four lanes of a row have 8 bytes each, together the 32
// bytes of both tiles, and write a whole sector.
__device__ inline uint2 exchange(Pair left, Pair right) {
  const bool odd = threadIdx.x % 2 == 1;
  const unsigned l = *reinterpret_cast<const unsigned*>(&left), r = *reinterpret_cast<const unsigned*>(&right);
  const unsigned other = __shfl_xor_sync(0xffffffff, odd ? l : r, 1);
  return odd ? make_uint2(other, r) : make_uint2(l, other);
}

// For rows of C that begin on 16 bytes.
__device__ inline void store_aligned(const Accumulators& acc, Element* c, int m, int n, int row, int column) {
#pragma unroll
  for (int i = 0; i < WM / 16; ++i)
#pragma unroll
    for (int below = 0; below < 2; ++below)
#pragma unroll
      for (int j = 0; j < WN / 8; j += 2) {
        const int r = row + i * 16 + below * 8;
        const Pair left = from_floats(acc[i][j][below * 2], acc[i][j][below * 2 + 1]);
        const Pair right = from_floats(acc[i][j + 1][below * 2], acc[i][j + 1][below * 2 + 1]);
        Element* to = c + static_cast<long long>(r) * n + column + j * 8;
        if (sizeof(Element) == 4) {
          if (r < m && column + j * 8 < n) *reinterpret_cast<Pair*>(to) = left;
          if (r < m && column + j * 8 + 8 < n) *reinterpret_cast<Pair*>(to + 8) = right;
        } else {
          const int moved = threadIdx.x % 2 == 1 ? 6 : 0;  // columns from the lane's own pair on the left
          const uint2 four = exchange(left, right);
          if (r < m && column + j * 8 + moved < n) *reinterpret_cast<uint2*>(to + moved) = four;
        }
      }
}
__device__ inline void store_unaligned(const Accumulators& acc, Element* c, int m, int n, int row, int column) {
#pragma unroll
  for (int i = 0; i < WM / 16; ++i)
#pragma unroll
    for (int below = 0; below < 2; ++below)
#pragma unroll
      for (int j = 0; j < WN / 8; ++j)
#pragma unroll
        for (int right = 0; right < 2; ++right) {
          const int r = row + i * 16 + below * 8, s = column + j * 8 + right;
          if (r < m && s < n) c[static_cast<long long>(r) * n + s] = from_float(acc[i][j][below * 2 + right]);
        }
}
template <bool ALIGNED>
__device__ void store_tile(const Accumulators& acc, Element* c, int m, int n, int2 tile) {
  const int row = first_row_of_lane(tile.x), column = first_column_of_lane(tile.y);
  if (ALIGNED)
    store_aligned(acc, c, m, n, row, column);
  else
    store_unaligned(acc, c, m, n, row, column);
}
