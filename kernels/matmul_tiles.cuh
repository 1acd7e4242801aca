// What kernels of a matmul on the tensor cores share: how a CTA's tile of C is split among its warps, where pieces of A
// and B lie in shared memory, how they come there, and how sums go to C.
//
// BM BN  tile of C that one CTA computes    BK       depth of A and B that it holds in shared memory at a time
// WARPS  warps that share the tile          B_LAYOUT 0: B is K × N, by rows; 1: by columns, B[k][n] at b[n · K + k]
#pragma once
#include "tensor_elements.cuh"

constexpr unsigned THREADS = 32 * WARPS;

// Rows of warps over the tile of C. A warp reads WM rows of A and WN columns of B from shared memory for each step of
// K, so its own tile should be as square as can be.
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

using Sums = float[WM / 16][WN / 8][4];  // a lane's share of its warp's tile: of each 16 × 8 piece four floats
struct Fragments {                       // what a warp multiplies at a time: MMA_K deep
  unsigned a[WM / 16][4], b[WN / 16][4];
};

// How the chunks of 16 bytes of a row are permuted, so that rows which are read together lie in different banks.
enum Swizzle { NONE, BY_ROW, BY_FOURS };

// A piece of a matrix in shared memory. Chunks lie in panels, at most 8 chunks (128 bytes: all banks once) wide, one
// panel after the other. In a row of a panel chunk c lies at column c ^ turn(row).
template <unsigned ROWS_, unsigned COLUMNS, Swizzle SWIZZLE>
struct Tile {
  static constexpr unsigned ROWS = ROWS_, CHUNKS = COLUMNS / CHUNK, PANEL = CHUNKS < 8 ? CHUNKS : 8;
  static constexpr unsigned PITCH = PANEL * 16, PANEL_BYTES = ROWS * PITCH, BYTES = ROWS * CHUNKS * 16;

  __device__ static unsigned turn(unsigned row) {
    if (SWIZZLE == BY_ROW) return row * PANEL / 8 % PANEL;  // where a row is 64 bytes, two of them make 128
    return SWIZZLE == BY_FOURS ? row % 4 * 2 : 0;
  }
  __device__ static unsigned place(unsigned row, unsigned chunk) {
    return chunk / PANEL * PANEL_BYTES + row * PITCH + (chunk % PANEL ^ turn(row)) * 16;
  }
};
template <Swizzle SWIZZLE>
using TileOfA = Tile<BM, BK, SWIZZLE>;
template <Swizzle SWIZZLE>
using TileOfB = Tile<B_LAYOUT == 0 ? BK : BN, B_LAYOUT == 0 ? BN : BK, SWIZZLE>;
extern __shared__ __align__(128) char shared[];  // STAGES stages: a piece of A, then one of B
constexpr unsigned A_BYTES = BM * BK * sizeof(Element), STAGE_BYTES = A_BYTES + BK * BN * sizeof(Element);

// A chunk of a row of which only the first `count` elements are inside, the address anything: the rest becomes zero.
__device__ inline uint4 gather_chunk(const Element* from, int count) {
  alignas(16) Element chunk[CHUNK];
#pragma unroll
  for (int i = 0; i < int{CHUNK}; ++i) chunk[i] = i < count ? from[i] : from_float(0);
  return *reinterpret_cast<const uint4*>(chunk);
}

// Brings pieces of a matrix to shared memory, one after the other along K. The threads share a piece in passes: in each
// of them a thread copies a chunk, always of the same column of a panel. What lies outside of the matrix is not read:
// it becomes zero, which adds nothing. K runs along the rows of the matrix, or with DOWN from row to row.
template <class TILE, bool DOWN>
struct Copies {
  static constexpr unsigned ROWS = THREADS / TILE::PANEL, PASSES = TILE::CHUNKS * TILE::ROWS / THREADS;
  static_assert(TILE::ROWS % ROWS == 0 && ROWS % 8 == 0, "passes are whole rows, and the order of chunks repeats");
  const Element* from;  // what the thread copies first,
  unsigned to;          // and its place in a piece
  long long pitch;      // of a row, in elements
  int rows, columns;    // that are left from there to the end of the matrix

  // `row`, `column`: where the first piece begins in a matrix of `all_rows` × `all_columns`.
  __device__ Copies(const Element* matrix, int all_rows, int all_columns, int row, int column) {
    const unsigned my_row = threadIdx.x / TILE::PANEL, my_chunk = threadIdx.x % TILE::PANEL;
    pitch = all_columns;
    rows = all_rows - row - my_row;
    columns = all_columns - column - my_chunk * CHUNK;
    from = matrix + (row + my_row) * pitch + column + my_chunk * CHUNK;
    to = TILE::place(my_row, my_chunk);
  }

  // Of pass p: the rows and the columns that it is away from the first one.
  __device__ static constexpr int row_of(unsigned p) { return p * ROWS % TILE::ROWS; }
  __device__ static constexpr int column_of(unsigned p) { return p * ROWS / TILE::ROWS * TILE::PANEL * CHUNK; }
  __device__ const Element* source(unsigned p) const { return from + row_of(p) * pitch + column_of(p); }
  __device__ int inside(unsigned p) const {  // elements; of aligned rows a whole chunk, or none
    return row_of(p) < rows ? max(0, columns - column_of(p)) : 0;
  }

  // Passes [first, last) by cp.async: nothing passes through registers, and nobody waits.
  __device__ void start(unsigned piece, unsigned first, unsigned last) const {
#pragma unroll
    for (unsigned p = 0; p < PASSES; ++p)
      if (p >= first && p < last) cp_async(piece + to + p * THREADS * 16, source(p), inside(p) > 0 ? 16 : 0);
  }
  // The same through registers, for rows that do not begin on 16 bytes.
  __device__ void gather(unsigned piece, unsigned first, unsigned last) const {
#pragma unroll
    for (unsigned p = 0; p < PASSES; ++p)
      if (p >= first && p < last) store_chunk(piece + to + p * THREADS * 16, gather_chunk(source(p), inside(p)));
  }
  // The whole piece by loads and stores: all loads first, so that one wait is enough.
  __device__ void bring(unsigned piece) const {
    uint4 held[PASSES];
#pragma unroll
    for (unsigned p = 0; p < PASSES; ++p)
      held[p] = inside(p) > 0 ? *reinterpret_cast<const uint4*>(source(p)) : uint4{};
#pragma unroll
    for (unsigned p = 0; p < PASSES; ++p) store_chunk(piece + to + p * THREADS * 16, held[p]);
  }
  __device__ void next_piece() {
    from += DOWN ? BK * pitch : BK;
    (DOWN ? rows : columns) -= BK;
  }
};

// Where a lane reads fragments with ldmatrix, in bytes from the start of a stage. What comes next to it differs in a
// few bits of the chunk, or lies a fixed number of rows on: no load in the loop needs arithmetic of its own.
template <Swizzle SWIZZLE_A, Swizzle SWIZZLE_B>
struct Loads {
  using A = TileOfA<SWIZZLE_A>;
  using B = TileOfB<SWIZZLE_B>;
  static constexpr unsigned STARTS = B_LAYOUT == 0 ? WN / 16 : 1;
  unsigned a, b[STARTS];

  __device__ Loads() {
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const unsigned row = warp % WARPS_M * WM, column = warp / WARPS_M * WN;
    a = A::place(row + lane % 16, lane / 16);
#pragma unroll
    for (unsigned j = 0; j < STARTS; ++j) {
      if (B_LAYOUT == 1)
        b[j] = A_BYTES + B::place(column + lane / 16 * 8 + lane % 8, lane / 8 % 2);
      else if (DTYPE == 2)
        b[j] = A_BYTES + B::place(lane % 4, (column + j * 16 + lane / 4) / CHUNK) + lane / 4 % CHUNK * 4;
      else
        b[j] = A_BYTES + B::place(lane % 16, column / CHUNK + j * 2 + lane / 16);
    }
  }

  // Of the stage whose address is `stage` the fragments of step k, which are two chunks deep.
  __device__ void load(Fragments& to, unsigned stage, unsigned k) const {
    const unsigned a_start = stage + k * 2 / A::PANEL * A::PANEL_BYTES + (a ^ k * 2 % A::PANEL * 16);
#pragma unroll
    for (unsigned i = 0; i < WM / 16; ++i) ldmatrix_x4(to.a[i], a_start + i * 16 * A::PITCH);
#pragma unroll
    for (unsigned j = 0; j < WN / 16; ++j) {
      if (B_LAYOUT == 1) {
        const unsigned b_start = stage + k * 2 / B::PANEL * B::PANEL_BYTES + (b[0] ^ k * 2 % B::PANEL * 16);
        ldmatrix_x4(to.b[j], b_start + j * 16 * B::PITCH);
      } else if (DTYPE == 2) {
        load_floats(to.b[j], stage + b[j % STARTS] + k * MMA_K * B::PITCH);
      } else {
        ldmatrix_x4_trans(to.b[j], stage + b[j % STARTS] + k * MMA_K * B::PITCH);
      }
    }
  }

  // ldmatrix transposes elements of two bytes only. Floats of a B by rows are read one by one: rows t and t + 4 of
  // columns g and g + 8.
  __device__ static void load_floats(unsigned (&to)[4], unsigned from) {
#pragma unroll
    for (unsigned r = 0; r < 4; ++r)
      asm volatile("ld.shared.b32 %0, [%1];"
                   : "=r"(to[r])
                   : "r"((from ^ r / 2 * 32) + r % 2 * 4 * B::PITCH)
                   : "memory");
  }
};

// sum += a · b for a warp's tile.
__device__ inline void multiply(Sums& sum, const Fragments& of) {
#pragma unroll
  for (int i = 0; i < WM / 16; ++i)
#pragma unroll
    for (int there = 0; there < WN / 8; ++there) {  // and back: the last of B is the first of the next row
      const int j = i % 2 == 0 ? there : WN / 8 - 1 - there;
      multiply_add(sum[i][j], of.a[i], of.b[j / 2][j % 2 * 2], of.b[j / 2][j % 2 * 2 + 1]);
    }
}
__device__ inline void round_operands(Fragments& of) {
#pragma unroll
  for (auto& four : of.a)
    for (unsigned& bits : four) bits = as_operand(bits);
#pragma unroll
  for (auto& four : of.b)
    for (unsigned& bits : four) bits = as_operand(bits);
}

// The lane's first row and column of C: of each 16 × 8 piece it has two neighbours of a row, and eight rows below.
__device__ inline int first_row_of_lane(int tile_m) {
  return tile_m * BM + threadIdx.x / 32 % WARPS_M * WM + threadIdx.x % 32 / 4;
}
__device__ inline int first_column_of_lane(int tile_n) {
  return tile_n * BN + threadIdx.x / 32 / WARPS_M * WN + threadIdx.x % 4 * 2;
}

// Of two neighbouring 16 × 8 pieces of 2-byte elements, a row of both: even lanes take over the left piece, odd lanes
// the right one. Then four lanes write the 32 bytes of a row at once, and no sector is written in two halves.
__device__ inline uint2 exchange(Pair left, Pair right) {
  const bool odd = threadIdx.x % 2 == 1;
  const unsigned l = *reinterpret_cast<const unsigned*>(&left), r = *reinterpret_cast<const unsigned*>(&right);
  const unsigned other = __shfl_xor_sync(0xffffffff, odd ? l : r, 1);
  return odd ? make_uint2(other, r) : make_uint2(l, other);
}

// Rows of C that begin on 16 bytes.
__device__ inline void store_aligned(const Sums& sum, Element* c, int m, int n, int row, int column) {
#pragma unroll
  for (int i = 0; i < WM / 16; ++i)
#pragma unroll
    for (int below = 0; below < 2; ++below)
#pragma unroll
      for (int j = 0; j < WN / 8; j += 2) {
        const int r = row + i * 16 + below * 8;
        const Pair left = from_floats(sum[i][j][below * 2], sum[i][j][below * 2 + 1]);
        const Pair right = from_floats(sum[i][j + 1][below * 2], sum[i][j + 1][below * 2 + 1]);
        Element* to = c + static_cast<long long>(r) * n + column + j * 8;
        if (sizeof(Element) == 4) {
          if (r < m && column + j * 8 < n) *reinterpret_cast<Pair*>(to) = left;
          if (r < m && column + j * 8 + 8 < n) *reinterpret_cast<Pair*>(to + 8) = right;
        } else {
          const int moved = threadIdx.x % 2 == 1 ? 6 : 0;  // from its own columns of the left piece
          const uint2 four = exchange(left, right);
          if (r < m && column + j * 8 + moved < n) *reinterpret_cast<uint2*>(to + moved) = four;
        }
      }
}

__device__ inline void store_unaligned(const Sums& sum, Element* c, int m, int n, int row, int column) {
#pragma unroll
  for (int i = 0; i < WM / 16; ++i)
#pragma unroll
    for (int below = 0; below < 2; ++below)
#pragma unroll
      for (int j = 0; j < WN / 8; ++j)
#pragma unroll
        for (int right = 0; right < 2; ++right) {
          const int r = row + i * 16 + below * 8, s = column + j * 8 + right;
          if (r < m && s < n) c[static_cast<long long>(r) * n + s] = from_float(sum[i][j][below * 2 + right]);
        }
}

template <bool ALIGNED>
__device__ void store_tile(const Sums& sum, Element* c, int m, int n, int2 tile) {
  const int row = first_row_of_lane(tile.x), column = first_column_of_lane(tile.y);
  if (ALIGNED)
    store_aligned(sum, c, m, n, row, column);
  else
    store_unaligned(sum, c, m, n, row, column);
}

// The tiles of C in order: groups of GROUP rows of tiles; inside a group column after column, so that tiles which are
// computed at the same time share few rows of A and few columns of B. With GROUP 1 row after row.
template <int GROUP>
__device__ int2 tile_at(int index, int m, int n) {
  const int tiles_m = (m + BM - 1) / BM, tiles_n = (n + BN - 1) / BN;
  const int group = index / (GROUP * tiles_n), in_group = index % (GROUP * tiles_n);
  const int rows = min(GROUP, tiles_m - group * GROUP);  // the last group may have fewer
  return make_int2(group * GROUP + in_group % rows, in_group / rows);
}
// That of a CTA which computes only one.
template <int GROUP>
__device__ int2 tile_of_cta(int m, int n) {
  return tile_at<GROUP>(blockIdx.x, m, n);
}
