// C = A · B in half precision on the tensor cores: A is M × K, B is K × N, C is M × N, all row-major.
// Three rungs run the same matmul; they differ only in which tile of C a CTA takes.
//
// BM BN    tile of C that one CTA computes      BK       depth of A and B that it holds in shared memory at a time
// WARPS    warps that share the tile            STAGES   such pieces of A and B that shared memory holds
// GROUP_M  rows of tiles in a group             M, N, K  any M; N and K multiples of 8, so that 16 bytes stay aligned
#include <cuda_fp16.h>

#include "common.cuh"

constexpr unsigned THREADS = 32 * WARPS;
constexpr unsigned A_BYTES = BM * BK * 2, B_BYTES = BK * BN * 2, STAGE_BYTES = A_BYTES + B_BYTES;

// Rows of warps over the tile of C. A warp reads WM rows of A and WN columns of B from shared memory for each step of
// K, so its own tile should be as square as can be.
constexpr unsigned warp_rows() {
  unsigned best = 1;
  for (unsigned rows = 1; rows <= WARPS && BM / rows >= 16; rows *= 2)
    if (BN * best / WARPS < 16 || BM / rows + BN * rows / WARPS < BM / best + BN * best / WARPS) best = rows;
  return best;
}
constexpr unsigned WARPS_M = warp_rows(), WARPS_N = WARPS / WARPS_M;
constexpr unsigned WM = BM / WARPS_M, WN = BN / WARPS_N;  // tile of one warp

// A piece of 16 bytes (a chunk, 8 halves) lies in shared memory at a column that depends on its row. So the 8 rows that
// ldmatrix reads together start in 8 different groups of banks, and there is no conflict.
__device__ unsigned a_place(unsigned row, unsigned chunk) {  // of BM × BK halves; of BK = 32 two rows make 128 bytes
  constexpr unsigned CHUNKS = BK / 8;
  return (row * CHUNKS + (chunk ^ (row * CHUNKS / 8) % CHUNKS)) * 16;
}
__device__ unsigned b_place(unsigned row, unsigned chunk) {  // of BK × BN halves
  return (row * (BN / 8) + (chunk ^ row % 8)) * 16;
}

// Sets out pieces of A and B for shared memory, one after the other along K. The threads share a piece in passes: in
// each of them a thread copies 16 bytes, always of the same column of chunks. What lies outside of the matrices is not
// read: it becomes zero, which adds nothing.
struct Copies {
  static constexpr unsigned A_CHUNKS = BK / 8, A_ROWS = THREADS / A_CHUNKS;  // of a row; rows of a pass
  static constexpr unsigned B_CHUNKS = BN / 8, B_ROWS = THREADS / B_CHUNKS;
  static_assert(A_ROWS % 8 == 0 && B_ROWS % 4 == 0, "the order of chunks repeats every 8 rows");
  const half *a, *b;           // what the thread copies first,
  unsigned to_a, to_b[2];      // and its place in a stage; to_b[1] is four rows on, where the order is another
  long long a_pitch, b_pitch;  // from pass to pass, in elements
  int a_depth, b_depth;        // of what the thread copies first
  int rows, columns, depth;    // that are left from there to the end of the matrices

  __device__ Copies(const half* a_start, const half* b_start, int m, int n, int k, int row, int column) {
    const unsigned a_row = threadIdx.x / A_CHUNKS, a_chunk = threadIdx.x % A_CHUNKS;
    const unsigned b_row = threadIdx.x / B_CHUNKS, b_chunk = threadIdx.x % B_CHUNKS;
    rows = m - row - a_row;
    columns = n - column - b_chunk * 8;
    depth = k;
    a_depth = a_chunk * 8;
    b_depth = b_row;
    a_pitch = static_cast<long long>(k) * A_ROWS;
    b_pitch = static_cast<long long>(n) * B_ROWS;
    a = a_start + static_cast<long long>(row + a_row) * k + a_depth;
    b = b_start + static_cast<long long>(b_row) * n + column + b_chunk * 8;
    to_a = a_place(a_row, a_chunk);
    to_b[0] = A_BYTES + b_place(b_row, b_chunk);
    to_b[1] = A_BYTES + b_place(b_row + 4, b_chunk) - 4 * BN * 2;
  }

  __device__ void next_piece(unsigned stage) {
#pragma unroll
    for (int i = 0; i < BM / A_ROWS; ++i) {
      const bool inside = i * int{A_ROWS} < rows && a_depth < depth;
      cp_async(stage + to_a + i * A_ROWS * BK * 2, a + i * a_pitch, inside ? 16 : 0);
    }
#pragma unroll
    for (int i = 0; i < BK / B_ROWS; ++i) {
      const bool inside = b_depth + i * int{B_ROWS} < depth && columns > 0;
      cp_async(stage + to_b[i * B_ROWS / 4 % 2] + i * B_ROWS * BN * 2, b + i * b_pitch, inside ? 16 : 0);
    }
    a += BK;
    b += BK / B_ROWS * b_pitch;
    depth -= BK;
  }
};

// What a warp multiplies at a time: its rows of A and its columns of B, 16 deep.
struct Fragments {
  unsigned a[WM / 16][4], b[WN / 16][4];
};

// Where a lane reads its first rows of a piece from. All that comes next to it differs in a few bits of the chunk, or
// lies a fixed number of rows on, so that a load needs no arithmetic of its own.
struct Loads {
  unsigned a_row, a_chunk, b_row, b_chunk;  // in bytes

  __device__ Loads() {
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const unsigned row = warp % WARPS_M * WM + lane % 16, column = warp / WARPS_M * WN;
    a_row = row * BK * 2;
    a_chunk = a_place(row, lane / 16) - a_row;
    b_row = A_BYTES + lane % 16 * BN * 2;
    b_chunk = A_BYTES + b_place(lane % 16, column / 8 + lane / 16) - b_row;
  }

  __device__ void load(Fragments& to, unsigned stage, unsigned k) const {
#pragma unroll
    for (int i = 0; i < WM / 16; ++i) ldmatrix_x4(to.a[i], stage + a_row + (a_chunk ^ k * 2) + i * 16 * BK * 2);
#pragma unroll
    for (int j = 0; j < WN / 16; ++j) ldmatrix_x4_trans(to.b[j], stage + b_row + (b_chunk ^ j * 32) + k * BN * 2);
  }
};

// C's tile (tile_m, tile_n) by one CTA. While a piece is multiplied, the next STAGES - 1 are on their way.
__device__ void multiply_tile(const half* a, const half* b, half* c, int m, int n, int depth, int tile_m, int tile_n) {
  extern __shared__ __align__(128) char shared[];
  const unsigned stages = shared_address(shared);
  const int first_row = tile_m * BM, first_column = tile_n * BN;
  const int steps = (depth + BK - 1) / BK;
  Copies copies(a, b, m, n, depth, first_row, first_column);
  const Loads loads;

#pragma unroll
  for (int s = 0; s < STAGES - 1; ++s) {
    if (s < steps) copies.next_piece(stages + s * STAGE_BYTES);
    cp_async_commit_group();
  }
  cp_async_wait_group<STAGES - 2>();  // the first piece is there,
  __syncthreads();                    // also what the other threads have copied of it

  float sum[WM / 16][WN / 8][4] = {};  // (16 × 8 tile of C, lane's share)
  Fragments fragments[2];              // one is multiplied while the other is loaded
  loads.load(fragments[0], stages, 0);
  unsigned reading = stages, writing = stages + (STAGES - 1) * STAGE_BYTES;
  const unsigned end = stages + STAGES * STAGE_BYTES;
#pragma unroll 1
  for (int step = 0; step < steps; ++step) {
#pragma unroll
    for (int k = 0; k < BK; k += 16) {
      const bool last = k + 16 == BK;
      if (last) {  // of this piece all is in registers; the next one must be there, and the oldest is free
        cp_async_wait_group<STAGES - 2>();
        __syncthreads();
        // After the last piece the same one is loaded once more: cheaper than to ask before each load.
        if (step + 1 < steps) reading = reading + STAGE_BYTES == end ? stages : reading + STAGE_BYTES;
      }
      loads.load(fragments[(k / 16 + 1) % 2], reading, last ? 0 : k + 16);
      if (k == 0) {
        if (step + STAGES - 1 < steps) copies.next_piece(writing);
        cp_async_commit_group();
        writing = writing + STAGE_BYTES == end ? stages : writing + STAGE_BYTES;
      }
      const Fragments& now = fragments[k / 16 % 2];
#pragma unroll
      for (int i = 0; i < WM / 16; ++i)
#pragma unroll
        for (int there = 0; there < WN / 8; ++there) {  // and back: the last of B is the first of the next row
          const int j = i % 2 == 0 ? there : WN / 8 - 1 - there;
          mma_m16n8k16(sum[i][j], now.a[i], now.b[j / 2][j % 2 * 2], now.b[j / 2][j % 2 * 2 + 1]);
        }
    }
  }

  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int row = first_row + warp % WARPS_M * WM + lane / 4,
            column = first_column + warp / WARPS_M * WN + lane % 4 * 2;
#pragma unroll
  for (int i = 0; i < WM / 16; ++i)
#pragma unroll
    for (int half_tile = 0; half_tile < 2;
         ++half_tile)  // a lane's share: two neighbours of a row, and eight rows below
#pragma unroll
      for (int j = 0; j < WN / 8; ++j) {
        const int r = row + i * 16 + half_tile * 8, s = column + j * 8;
        if (r >= m || s >= n) continue;
        *reinterpret_cast<half2*>(c + static_cast<long long>(r) * n + s) =
            __floats2half2_rn(sum[i][j][half_tile * 2], sum[i][j][half_tile * 2 + 1]);
      }
}

// Row after row of tiles: neighbours share rows of A, but between two uses of a column of B lies a whole row of tiles.
extern "C" __global__ void __launch_bounds__(THREADS)
    matmul_row_major(const half* a, const half* b, half* c, int m, int n, int k) {
  const int tiles_n = (n + BN - 1) / BN;
  multiply_tile(a, b, c, m, n, k, blockIdx.x / tiles_n, blockIdx.x % tiles_n);
}

// Groups of GROUP_M rows of tiles; inside a group column after column. CTAs that run at the same time form a block of
// tiles that is nearly square, and share its few rows of A and its few columns of B.
extern "C" __global__ void __launch_bounds__(THREADS)
    matmul_grouped(const half* a, const half* b, half* c, int m, int n, int k) {
  const int tiles_m = (m + BM - 1) / BM, tiles_n = (n + BN - 1) / BN;
  const int group = blockIdx.x / (GROUP_M * tiles_n), in_group = blockIdx.x % (GROUP_M * tiles_n);
  const int rows = min(GROUP_M, tiles_m - group * GROUP_M);  // the last group may have fewer
  multiply_tile(a, b, c, m, n, k, group * GROUP_M + in_group % rows, in_group / rows);
}

// A rectangle of tiles that a Hilbert curve walks: from `corner` along the edges `along` and `across`, in tiles.
struct Rectangle {
  int2 corner, along, across;
};

// Hilbert's curve, for a rectangle of any size: a long one is halved; any other one is walked up one half of its first
// edge's near side, along its far side, and back down. CTAs that run at the same time stay close in both directions.
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
  multiply_tile(a, b, c, m, n, k, tile.y, tile.x);
}
