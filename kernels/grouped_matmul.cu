// C = A · B in half precision on the tensor cores: A is M × K, B is K × N, C is M × N, all row-major.
// Three rungs run the same matmul; they differ only in which tile of C a CTA takes.
//
// BM BN    tile of C that one CTA computes      BK       extent along K of the k-tiles in shared memory
// WARPS    warps that share the tile            STAGES   k-tiles of A and B that shared memory holds
// GROUP_M  rows of tiles in a group             M, N, K  any M; N and K multiples of 8, so that 16 bytes stay aligned
#include <cuda_fp16.h>

#include "common.cuh"
#include "tile_order.cuh"

constexpr unsigned THREADS = 32 * WARPS;
constexpr unsigned A_BYTES = BM * BK * 2;  // BM × BK halves
constexpr unsigned B_BYTES = BK * BN * 2;  // BK × BN
constexpr unsigned STAGE_BYTES = A_BYTES + B_BYTES;

// Rows of warps over the tile of C. For each step along K a warp reads WM rows of A and WN columns of B from shared
// memory. A square warp tile needs the fewest of both for the same number of products.
constexpr unsigned warp_rows() {
  unsigned best = 1;
  for (unsigned rows = 1; rows <= WARPS && BM / rows >= 16; rows *= 2)
    if (BN * best / WARPS < 16 || BM / rows + BN * rows / WARPS < BM / best + BN * best / WARPS) best = rows;
  return best;
}
constexpr unsigned WARPS_M = warp_rows(), WARPS_N = WARPS / WARPS_M;
constexpr unsigned WM = BM / WARPS_M, WN = BN / WARPS_N;  // tile of one warp

// Bytes from the start of a k-tile to a chunk of 16 bytes (8 halves). The column of a chunk is XORed with its row, so
// that the 8 rows which ldmatrix reads together begin in 8 different groups of banks.
__device__ unsigned swizzled_offset_a(unsigned row, unsigned chunk) {  // BM × BK; with BK 32 two rows make 128 bytes
  constexpr unsigned CHUNKS = BK / 8;
  return (row * CHUNKS + (chunk ^ (row * CHUNKS / 8) % CHUNKS)) * 16;
}
__device__ unsigned swizzled_offset_b(unsigned row, unsigned chunk) {  // BK × BN
  return (row * (BN / 8) + (chunk ^ row % 8)) * 16;
}

// Copies k-tiles of A and B to shared memory, one after the other along K. The CTA copies a k-tile in passes; in each
// of them a thread copies 16 bytes, always in the same column of chunks. What lies outside of the matrices is not read:
// it becomes zero, which adds nothing.
struct KTileLoader {
  static constexpr unsigned A_CHUNKS = BK / 8, A_ROWS = THREADS / A_CHUNKS;  // chunks in a row; rows of a pass
  static constexpr unsigned B_CHUNKS = BN / 8, B_ROWS = THREADS / B_CHUNKS;
  static_assert(A_ROWS % 8 == 0 && B_ROWS % 4 == 0, "the swizzle repeats every 8 rows");
  const half *a, *b;  // the thread's chunk of pass 0 in global memory,
  unsigned a_offset;  // and in a stage
  // The same of B in even and in odd passes: with passes of 4 rows these are swizzled differently.
  unsigned b_offset[2];
  long long a_pitch, b_pitch;  // from pass to pass, in elements
  int a_k, b_k;                // index along K of the chunk, in the k-tile
  int rows, columns, k_left;   // from there to the end of the matrices

  __device__ KTileLoader(const half* matrix_a, const half* matrix_b, int m, int n, int k, int row, int column) {
    const unsigned a_row = threadIdx.x / A_CHUNKS, a_chunk = threadIdx.x % A_CHUNKS;
    const unsigned b_row = threadIdx.x / B_CHUNKS, b_chunk = threadIdx.x % B_CHUNKS;
    rows = m - row - a_row;
    columns = n - column - b_chunk * 8;
    k_left = k;
    a_k = a_chunk * 8;
    b_k = b_row;
    a_pitch = static_cast<long long>(k) * A_ROWS;
    b_pitch = static_cast<long long>(n) * B_ROWS;
    a = matrix_a + static_cast<long long>(row + a_row) * k + a_k;
    b = matrix_b + static_cast<long long>(b_row) * n + column + b_chunk * 8;
    a_offset = swizzled_offset_a(a_row, a_chunk);
    b_offset[0] = A_BYTES + swizzled_offset_b(b_row, b_chunk);
    b_offset[1] = A_BYTES + swizzled_offset_b(b_row + 4, b_chunk) - 4 * BN * 2;
  }

  // Issues the copies of the next k-tile to the stage at this address.
  __device__ void copy_next(unsigned stage) {
#pragma unroll
    for (int i = 0; i < BM / A_ROWS; ++i) {
      const bool inside = i * int{A_ROWS} < rows && a_k < k_left;
      cp_async(stage + a_offset + i * A_ROWS * BK * 2, a + i * a_pitch, inside ? 16 : 0);
    }
#pragma unroll
    for (int i = 0; i < BK / B_ROWS; ++i) {
      const bool inside = b_k + i * int{B_ROWS} < k_left && columns > 0;
      cp_async(stage + b_offset[i * B_ROWS / 4 % 2] + i * B_ROWS * BN * 2, b + i * b_pitch, inside ? 16 : 0);
    }
    a += BK;
    b += BK / B_ROWS * b_pitch;
    k_left -= BK;
  }
};

// The operands of one step in the registers of a lane.
struct Fragments {
  unsigned a[WM / 16][4];  // WM × 16: a 16 × 16 tile in four registers
  unsigned b[WN / 16][4];  // 16 × WN: two 16 × 8 tiles in two registers each
};

// Loads fragments with ldmatrix. The offsets of a lane are computed once: from step to step they differ in a few bits
// of the chunk or by a fixed number of rows, so that a load in the loop needs at most one XOR.
struct FragmentLoader {
  unsigned a_row, a_chunk, b_row, b_chunk;  // bytes from the start of a stage to a row, and from there to the chunk

  __device__ FragmentLoader() {
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const unsigned row = warp % WARPS_M * WM + lane % 16, column = warp / WARPS_M * WN;
    a_row = row * BK * 2;
    a_chunk = swizzled_offset_a(row, lane / 16) - a_row;
    b_row = A_BYTES + lane % 16 * BN * 2;
    b_chunk = A_BYTES + swizzled_offset_b(lane % 16, column / 8 + lane / 16) - b_row;
  }

  // The fragments of the 16 columns of A and rows of B from `k` on.
  __device__ void load(Fragments& frag, unsigned stage, unsigned k) const {
#pragma unroll
    for (int i = 0; i < WM / 16; ++i) ldmatrix_x4(frag.a[i], stage + a_row + (a_chunk ^ k * 2) + i * 16 * BK * 2);
#pragma unroll
    for (int j = 0; j < WN / 16; ++j) ldmatrix_x4_trans(frag.b[j], stage + b_row + (b_chunk ^ j * 32) + k * BN * 2);
  }
};

// One CTA computes the tile of C at (tile.x, tile.y). While a k-tile is multiplied, the next STAGES - 1 are in flight.
__device__ void multiply_tile(const half* a, const half* b, half* c, int m, int n, int k, int2 tile) {
  extern __shared__ __align__(128) char shared[];  // (STAGES, STAGE_BYTES)
  const unsigned stages = shared_address(shared);
  const int first_row = tile.x * BM, first_column = tile.y * BN;
  const int k_tiles = (k + BK - 1) / BK;
  KTileLoader loader(a, b, m, n, k, first_row, first_column);
  const FragmentLoader fragments;

#pragma unroll
  for (int s = 0; s < STAGES - 1; ++s) {
    if (s < k_tiles) loader.copy_next(stages + s * STAGE_BYTES);
    cp_async_commit_group();
  }
  cp_async_wait_group<STAGES - 2>();  // this thread's copies of the first k-tile have arrived,
  __syncthreads();                    // and so have those of the other threads

  float acc[WM / 16][WN / 8][4] = {};  // (16 × 8 tiles of the warp tile, the lane's share of each)
  Fragments frag[2];                   // one is multiplied while the other is loaded
  fragments.load(frag[0], stages, 0);
  unsigned reading = stages, writing = stages + (STAGES - 1) * STAGE_BYTES;
  const unsigned end = stages + STAGES * STAGE_BYTES;
#pragma unroll 1
  for (int k_tile = 0; k_tile < k_tiles; ++k_tile) {
#pragma unroll
    for (int at = 0; at < BK; at += 16) {
      const bool last = at + 16 == BK;
      if (last) {  // the next fragments are those of the next k-tile
        cp_async_wait_group<STAGES - 2>();
        __syncthreads();
        // After the last k-tile `reading` stays: loading its fragments again is cheaper than a condition on each load.
        if (k_tile + 1 < k_tiles) reading = reading + STAGE_BYTES == end ? stages : reading + STAGE_BYTES;
      }
      fragments.load(frag[(at / 16 + 1) % 2], reading, last ? 0 : at + 16);
      if (at == 0) {
        if (k_tile + STAGES - 1 < k_tiles) loader.copy_next(writing);
        cp_async_commit_group();
        writing = writing + STAGE_BYTES == end ? stages : writing + STAGE_BYTES;
      }
      const Fragments& now = frag[at / 16 % 2];
#pragma unroll
      for (int i = 0; i < WM / 16; ++i)
#pragma unroll
        for (int column = 0; column < WN / 8; ++column) {
          // Serpentine: odd rows run backwards, so that each mma, the first of a row too, shares an operand with the
          // one before it, and its registers can be reused.
          const int j = i % 2 == 0 ? column : WN / 8 - 1 - column;
          mma_m16n8k16(acc[i][j], now.a[i], now.b[j / 2][j % 2 * 2], now.b[j / 2][j % 2 * 2 + 1]);
        }
    }
  }

  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int row = first_row + warp % WARPS_M * WM + lane / 4;
  const int column = first_column + warp / WARPS_M * WN + lane % 4 * 2;
#pragma unroll
  for (int i = 0; i < WM / 16; ++i)
#pragma unroll
    for (int below = 0; below < 2; ++below)  // a lane has two neighbours of a row, and of the row 8 below
#pragma unroll
      for (int j = 0; j < WN / 8; ++j) {
        const int r = row + i * 16 + below * 8, s = column + j * 8;
        if (r >= m || s >= n) continue;
        *reinterpret_cast<half2*>(c + static_cast<long long>(r) * n + s) =
            __floats2half2_rn(acc[i][j][below * 2], acc[i][j][below * 2 + 1]);
      }
}

// One row of tiles after the other. Neighbours share rows of A, but a column of B is used again only a whole row of
// tiles later.
extern "C" __global__ void __launch_bounds__(THREADS)
    matmul_row_major(const half* a, const half* b, half* c, int m, int n, int k) {
  const int tiles_n = (n + BN - 1) / BN;
  multiply_tile(a, b, c, m, n, k, make_int2(blockIdx.x / tiles_n, blockIdx.x % tiles_n));
}

// Groups of GROUP_M rows of tiles; inside a group one column after the other. CTAs that run at the same time cover a
// nearly square block of tiles, and share its few rows of A and its few columns of B.
extern "C" __global__ void __launch_bounds__(THREADS)
    matmul_grouped(const half* a, const half* b, half* c, int m, int n, int k) {
  multiply_tile(a, b, c, m, n, k, grouped_tile(blockIdx.x, (m + BM - 1) / BM, (n + BN - 1) / BN, GROUP_M));
}

// A rectangle of tiles that the curve fills: from `corner` along the edges `along` and `across`, in tiles.
struct Rectangle {
  int2 corner, along, across;
};

// Hilbert's curve for a rectangle of any size. A long rectangle is halved. In others the curve goes up through the near
// left part, along the far half, and down through the near right part. CTAs that run at the same time stay close in
// both directions.
__device__ int2 hilbert(int index, int rows, int columns) {
  auto length = [](int2 edge) { return abs(edge.x + edge.y); };  // one of the two is 0
  auto unit = [](int2 edge) { return make_int2((edge.x > 0) - (edge.x < 0), (edge.y > 0) - (edge.y < 0)); };
  auto plus = [](int2 p, int2 q, int times = 1) { return make_int2(p.x + times * q.x, p.y + times * q.y); };
  auto times = [](int2 p, int by) { return make_int2(p.x * by, p.y * by); };
  Rectangle r{{0, 0}, {columns, 0}, {0, rows}};
  if (rows > columns) r = {{0, 0}, {0, rows}, {columns, 0}};
  while (true) {
    const int w = length(r.along), h = length(r.across);
    const int2 u = unit(r.along), v = unit(r.across);
    if (h == 1) return plus(r.corner, u, index);
    if (w == 1) return plus(r.corner, v, index);
    int w2 = w / 2, h2 = h / 2;
    if (2 * w > 3 * h) {  // long: its two halves, one after the other
      if (w2 % 2 != 0 && w > 2) ++w2;
      if (index < w2 * h) {
        r = {r.corner, times(u, w2), r.across};
      } else {
        index -= w2 * h;
        r = {plus(r.corner, u, w2), times(u, w - w2), r.across};
      }
      continue;
    }
    if (h2 % 2 != 0 && h > 2) ++h2;
    if (index < w2 * h2) {  // up
      r = {r.corner, times(v, h2), times(u, w2)};
    } else if (index -= w2 * h2; index < w * (h - h2)) {  // along
      r = {plus(r.corner, v, h2), r.along, times(v, h - h2)};
    } else {  // down
      index -= w * (h - h2);
      r = {plus(plus(r.corner, u, w - 1), v, h2 - 1), times(v, -h2), times(u, -(w - w2))};
    }
  }
}

extern "C" __global__ void __launch_bounds__(THREADS)
    matmul_hilbert(const half* a, const half* b, half* c, int m, int n, int k) {
  const int2 tile = hilbert(blockIdx.x, (m + BM - 1) / BM, (n + BN - 1) / BN);
  multiply_tile(a, b, c, m, n, k, make_int2(tile.y, tile.x));
}
