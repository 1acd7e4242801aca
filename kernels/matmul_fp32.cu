// C = A · B in fp32, without tensor cores: A is M × K, B is K × N, C is M × N, all row-major, of any size.
// Eight rungs. The first two read A and B from global memory for every product; the next three keep tiles of them in
// shared memory and results in registers; the last three see to it that hardly anything but multiply-adds is issued.
//
// TILE      rungs 1 to 4: edge of the square of threads     TM TN    results of one thread, rows and columns
// BM BN     tile of C that one CTA computes                 BK       depth of A and B held in shared memory at a time
// WM        rows of C that one warp computes                STAGES   pieces of A and B that shared memory holds
// GROUP_M   rows of tiles that CTAs walk together
#include "common.cuh"

// Outside of a matrix there are zeros, which add nothing to a sum.
__device__ float element(const float* matrix, int row, int column, int rows, int columns) {
  return row < rows && column < columns ? matrix[row * columns + column] : 0.0f;
}
__device__ void set_element(float* matrix, int row, int column, int rows, int columns, float value) {
  if (row < rows && column < columns) matrix[row * columns + column] = value;
}
// ---- 1 and 2: one result per thread, everything from global memory -------------------------------------------------

// Neighbouring threads compute neighbouring rows: in A and in C the lanes of a warp are a whole row apart.
extern "C" __global__ void __launch_bounds__(TILE* TILE)
    naive(const float* a, const float* b, float* c, int m, int n, int k) {
  const int row = blockIdx.x * TILE + threadIdx.x, column = blockIdx.y * TILE + threadIdx.y;
  if (row >= m || column >= n) return;
  float sum = 0;
  for (int i = 0; i < k; ++i) sum += a[row * k + i] * b[i * n + column];
  c[row * n + column] = sum;
}

// Neighbouring threads compute neighbouring columns: B and C are walked along their rows, and A is the same for all
// lanes of a row.
extern "C" __global__ void __launch_bounds__(TILE* TILE)
    coalesced(const float* a, const float* b, float* c, int m, int n, int k) {
  const int row = blockIdx.y * TILE + threadIdx.y, column = blockIdx.x * TILE + threadIdx.x;
  if (row >= m || column >= n) return;
  float sum = 0;
  for (int i = 0; i < k; ++i) sum += a[row * k + i] * b[i * n + column];
  c[row * n + column] = sum;
}

// ---- 3 to 5: tiles in shared memory, more and more results in registers --------------------------------------------

// The CTA reads a tile of A and a tile of B together, and every thread finds there what it needs: TILE products for
// two elements read.
extern "C" __global__ void __launch_bounds__(TILE* TILE)
    shared_tile(const float* a, const float* b, float* c, int m, int n, int k) {
  __shared__ float a_tile[TILE][TILE], b_tile[TILE][TILE];
  const int x = threadIdx.x, y = threadIdx.y;
  const int row = blockIdx.y * TILE + y, column = blockIdx.x * TILE + x;
  float sum = 0;
  for (int step = 0; step < k; step += TILE) {
    a_tile[y][x] = element(a, row, step + x, m, k);
    b_tile[y][x] = element(b, step + y, column, k, n);
    __syncthreads();
    for (int i = 0; i < TILE; ++i) sum += a_tile[y][i] * b_tile[i][x];
    __syncthreads();
  }
  set_element(c, row, column, m, n, sum);
}

// Rows that a CTA of rung 4 computes. Arrays of a kernel have 48 KB at most, so that of 16 · 32 nothing is launched.
constexpr int COLUMN = TM * TILE < 256 ? TM * TILE : 256;

// A thread computes TM results of one column. An element of B, once in a register, is used TM times.
extern "C" __global__ void __launch_bounds__(TILE* TILE)
    register_1d(const float* a, const float* b, float* c, int m, int n, int k) {
  __shared__ float a_tile[COLUMN][TILE], b_tile[TILE][TILE];
  const int x = threadIdx.x, y = threadIdx.y;
  const int row = blockIdx.y * TM * TILE + y, column = blockIdx.x * TILE + x;
  float sum[TM] = {};
  for (int step = 0; step < k; step += TILE) {
#pragma unroll
    for (int t = 0; t < TM; ++t) a_tile[t * TILE + y][x] = element(a, row + t * TILE, step + x, m, k);
    b_tile[y][x] = element(b, step + y, column, k, n);
    __syncthreads();
    for (int i = 0; i < TILE; ++i) {
      const float of_b = b_tile[i][x];
#pragma unroll
      for (int t = 0; t < TM; ++t) sum[t] += a_tile[t * TILE + y][i] * of_b;
    }
    __syncthreads();
  }
#pragma unroll
  for (int t = 0; t < TM; ++t) set_element(c, row + t * TILE, column, m, n, sum[t]);
}

// From here on a CTA computes BM × BN results, and a thread TM × TN of them.
extern __shared__ __align__(16) float shared[];
constexpr int WANTED = BM * BN / (TM * TN), THREADS = WANTED < 32 ? 32 : WANTED > 1024 ? 1024 : WANTED;
constexpr int ACROSS = BN / TN > 1 ? BN / TN : 1, DOWN = BM / TM > 1 ? BM / TM : 1;  // threads beside and below others

// An outer product: TM + TN elements from shared memory for TM · TN multiply-adds. Row after row, there and back, so
// that neighbouring multiply-adds have an operand in common.
__device__ void add_products(float (&sum)[TM][TN], const float (&of_a)[TM], const float (&of_b)[TN]) {
#pragma unroll
  for (int t = 0; t < TM; ++t)
#pragma unroll
    for (int there = 0; there < TN; ++there) {
      const int u = t % 2 == 0 ? there : TN - 1 - there;
      sum[t][u] += of_a[t] * of_b[u];
    }
}

// A thread computes TM × TN results: rows DOWN apart, columns ACROSS apart, so that the lanes of a warp always want
// neighbouring columns.
extern "C" __global__ void __launch_bounds__(THREADS)
    register_2d(const float* a, const float* b, float* c, int m, int n, int k) {
  float(*a_tile)[BK] = reinterpret_cast<float(*)[BK]>(shared);            // (BM, BK)
  float(*b_tile)[BN] = reinterpret_cast<float(*)[BN]>(shared + BM * BK);  // (BK, BN)
  const int top = blockIdx.y * BM, left = blockIdx.x * BN;
  const int x = threadIdx.x % ACROSS, y = threadIdx.x / ACROSS;
  float sum[TM][TN] = {};
  for (int step = 0; step < k; step += BK) {
    for (int i = threadIdx.x; i < BM * BK; i += THREADS)
      a_tile[i / BK][i % BK] = element(a, top + i / BK, step + i % BK, m, k);
    for (int i = threadIdx.x; i < BK * BN; i += THREADS)
      b_tile[i / BN][i % BN] = element(b, step + i / BN, left + i % BN, k, n);
    __syncthreads();
    for (int i = 0; i < BK; ++i) {
      float of_a[TM], of_b[TN];
#pragma unroll
      for (int t = 0; t < TM; ++t) of_a[t] = a_tile[t * DOWN + y][i];
#pragma unroll
      for (int u = 0; u < TN; ++u) of_b[u] = b_tile[i][u * ACROSS + x];
      add_products(sum, of_a, of_b);
    }
    __syncthreads();
  }
#pragma unroll
  for (int t = 0; t < TM; ++t)
#pragma unroll
    for (int u = 0; u < TN; ++u) set_element(c, top + t * DOWN + y, left + u * ACROSS + x, m, n, sum[t][u]);
}

// ---- 6 to 8: 16 bytes at a time, warps with a tile of their own, copies that nobody waits for ----------------------

// A is turned over on its way to shared memory: what a thread needs of it at one depth lies side by side, like B.
constexpr int PAD = 4;  // unused words that move the next depth of A to other banks
struct Piece {
  float a[BK][BM + PAD], b[BK][BN];
};

// Four neighbours of a row, in one access of 16 bytes if every row of the matrix begins on 16 bytes.
__device__ float4 four_elements(const float* matrix, int row, int column, int rows, int columns) {
  if (columns % 4 == 0) {
    const bool inside = row < rows && column < columns;
    return inside ? *reinterpret_cast<const float4*>(matrix + row * columns + column) : float4{};
  }
  return {element(matrix, row, column, rows, columns), element(matrix, row, column + 1, rows, columns),
          element(matrix, row, column + 2, rows, columns), element(matrix, row, column + 3, rows, columns)};
}
__device__ void set_four_elements(float* matrix, int row, int column, int rows, int columns, const float* values) {
  if (columns % 4 == 0) {
    if (row < rows && column < columns)
      *reinterpret_cast<float4*>(matrix + row * columns + column) = {values[0], values[1], values[2], values[3]};
  } else {
#pragma unroll
    for (int i = 0; i < 4; ++i) set_element(matrix, row, column + i, rows, columns, values[i]);
  }
}

// A piece of A and of B, by all threads of the CTA. Of A a warp takes 8 depths of 16 rows: whole sectors of global
// memory, and 32 different banks of shared memory.
__device__ void load_piece(Piece& piece, const float* a, const float* b, int top, int left, int step, int m, int n,
                           int k) {
#pragma unroll
  for (int i = threadIdx.x; i < BM * BK / 4; i += THREADS) {
    const int row = i / 2 % BM, depth = i % 2 * 4 + i / (2 * BM) * 8;
    const float4 four = four_elements(a, top + row, step + depth, m, k);
    piece.a[depth][row] = four.x;
    piece.a[depth + 1][row] = four.y;
    piece.a[depth + 2][row] = four.z;
    piece.a[depth + 3][row] = four.w;
  }
#pragma unroll
  for (int i = threadIdx.x; i < BK * BN / 4; i += THREADS) {
    const int depth = i / (BN / 4), column = i % (BN / 4) * 4;
    *reinterpret_cast<float4*>(&piece.b[depth][column]) = four_elements(b, step + depth, left + column, k, n);
  }
}

// Groups of four neighbours, STRIDE words from one group to the next.
template <int COUNT, int STRIDE>
__device__ void load_fours(float (&to)[COUNT], const float* from) {
#pragma unroll
  for (int i = 0; i < COUNT; i += 4) {
    const float4 four = *reinterpret_cast<const float4*>(from + i / 4 * STRIDE);
    to[i] = four.x;
    to[i + 1] = four.y;
    to[i + 2] = four.z;
    to[i + 3] = four.w;
  }
}
template <int ROW_STRIDE, int COLUMN_STRIDE>
__device__ void store_results(const float (&sum)[TM][TN], float* c, int row, int column, int m, int n) {
#pragma unroll
  for (int t = 0; t < TM; ++t)
#pragma unroll
    for (int u = 0; u < TN; u += 4)
      set_four_elements(c, row + t / 4 * ROW_STRIDE + t % 4, column + u / 4 * COLUMN_STRIDE, m, n, &sum[t][u]);
}

// Rung 5 in fours: global and shared memory are read and written 16 bytes at a time.
extern "C" __global__ void __launch_bounds__(THREADS)
    vectorised(const float* a, const float* b, float* c, int m, int n, int k) {
  Piece& piece = *reinterpret_cast<Piece*>(shared);
  const int top = blockIdx.y * BM, left = blockIdx.x * BN;
  const int row = threadIdx.x / ACROSS * 4, column = threadIdx.x % ACROSS * 4;
  float sum[TM][TN] = {};
  for (int step = 0; step < k; step += BK) {
    load_piece(piece, a, b, top, left, step, m, n, k);
    __syncthreads();
#pragma unroll
    for (int i = 0; i < BK; ++i) {
      float of_a[TM], of_b[TN];
      load_fours<TM, 4 * DOWN>(of_a, &piece.a[i][row]);
      load_fours<TN, 4 * ACROSS>(of_b, &piece.b[i][column]);
      add_products(sum, of_a, of_b);
    }
    __syncthreads();
  }
  store_results<4 * DOWN, 4 * ACROSS>(sum, c, top + row, left + column, m, n);
}

// The lanes of a warp are LM × LN, and its tile is WM × WN.
constexpr int LM = WM / TM > 1 ? WM / TM : 1, LN = 32 / LM > 1 ? 32 / LM : 1, WN = LN * TN;
constexpr int WARPS_ACROSS = BN / WN > 1 ? BN / WN : 1;

// The first row and column of the thread in the CTA's tile. Two lanes that differ in the lowest bit of their number
// have the same rows of A, two that differ in the next bit the same columns of B: then the 32 lanes take 16 bytes each
// in two passes over the banks instead of four.
__device__ int2 place_in_warp_tile() {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int lane_row = lane / 2 % LM, lane_column = lane % 2 + lane / (2 * LM) * 2;
  return {warp / WARPS_ACROSS * WM + lane_row * 4, warp % WARPS_ACROSS * WN + lane_column * 4};
}

// Rung 6 with other places for the threads: each warp has a tile of its own that is nearly square.
extern "C" __global__ void __launch_bounds__(THREADS)
    warp_tile(const float* a, const float* b, float* c, int m, int n, int k) {
  Piece& piece = *reinterpret_cast<Piece*>(shared);
  const int top = blockIdx.y * BM, left = blockIdx.x * BN;
  const int row = place_in_warp_tile().x, column = place_in_warp_tile().y;
  float sum[TM][TN] = {};
  for (int step = 0; step < k; step += BK) {
    load_piece(piece, a, b, top, left, step, m, n, k);
    __syncthreads();
#pragma unroll
    for (int i = 0; i < BK; ++i) {
      float of_a[TM], of_b[TN];
      load_fours<TM, 4 * LM>(of_a, &piece.a[i][row]);
      load_fours<TN, 4 * LN>(of_b, &piece.b[i][column]);
      add_products(sum, of_a, of_b);
    }
    __syncthreads();
  }
  store_results<4 * LM, 4 * LN>(sum, c, top + row, left + column, m, n);
}

// Sets out copies of one piece after the other, from global memory straight to shared memory. Elements of A go one by
// one, since they are turned over on their way: 8 depths of 4 rows by a warp, which are again whole sectors and 32
// different banks. In place of a row or column outside of the matrix the last one inside is copied, because nothing of
// it is stored; what lies beyond the depth becomes zero.
struct Copies {
  static constexpr int A_ROWS = THREADS / 8, A_COPIES = (BM * BK + THREADS - 1) / THREADS;  // of a pass; of a thread
  static constexpr int A_LINES = BM / A_ROWS > 1 ? BM / A_ROWS : 1;                         // rows among these
  static constexpr int B_ROWS = THREADS * 4 / BN > 1 ? THREADS * 4 / BN : 1, B_COPIES = (BK + B_ROWS - 1) / B_ROWS;
  const float *a, *b;
  int left, n, k;                                 // first column of the tile, columns of B, depth
  int a_depth, a_from[A_LINES], b_depth, b_from;  // of the next piece: what the thread copies first, in the matrices,
  unsigned a_to, b_to;                            // and where to in shared memory

  __device__ Copies(const float* a, const float* b, int top, int left, int m, int n, int k)
      : a(a), b(b), left(left), n(n), k(k) {
    const int a_row = threadIdx.x / 8 % BM, b_column = threadIdx.x % (BN / 4) * 4;
    a_depth = threadIdx.x % 8 + threadIdx.x / (8 * BM) * 8;
    b_depth = threadIdx.x / (BN / 4);
#pragma unroll
    for (int i = 0; i < A_LINES; ++i) a_from[i] = inside(top + a_row + i * A_ROWS, m) * k + a_depth;
    b_from = b_depth * n + inside(left + b_column, n - 3);  // the last four columns begin at n - 4
    Piece* pieces = reinterpret_cast<Piece*>(shared);
    a_to = shared_address(&pieces->a[a_depth][a_row]);
    b_to = shared_address(&pieces->b[b_depth][b_column]);
  }
  static __device__ int inside(int index, int count) { return min(index, count - 1); }
  __device__ int bytes(int depth, int all) const { return depth < k ? all : 0; }

  __device__ void next_piece(int way) {  // `way`: to the next place in shared memory, in bytes
#pragma unroll
    for (int i = 0; i < A_COPIES; ++i) {
      const int rows = i % A_LINES * A_ROWS, depth = i / A_LINES * (A_LINES * THREADS / BM);
      if (BM * BK % THREADS == 0 || threadIdx.x < BM * BK)
        cp_async_float(a_to + (depth * (BM + PAD) + rows) * 4, a + a_from[i % A_LINES] + depth,
                       bytes(a_depth + depth, 4));
    }
    if (n % 4 == 0) {  // every row of B begins on 16 bytes
#pragma unroll
      for (int i = 0; i < B_COPIES; ++i)
        if (BK % B_ROWS == 0 || threadIdx.x < BK * BN / 4)
          cp_async(b_to + i * B_ROWS * BN * 4, b + b_from + i * B_ROWS * n, bytes(b_depth + i * B_ROWS, 16));
    } else {
      const int first = b_depth - threadIdx.x / (BN / 4);
#pragma unroll 1
      for (int i = threadIdx.x; i < BK * BN; i += THREADS) {
        const int depth = first + i / BN, column = left + i % BN;
        cp_async_float(b_to + i * 4 - threadIdx.x * 16, b + depth * n + inside(column, n), bytes(depth, 4));
      }
    }
#pragma unroll
    for (int i = 0; i < A_LINES; ++i) a_from[i] += BK;
    b_from += BK * n;
    a_depth += BK;
    b_depth += BK;
    a_to += way;
    b_to += way;
  }
};

// The tile of C that the CTA computes: groups of GROUP_M rows of tiles, inside a group column after column. CTAs that
// run at the same time then share few rows of A and few columns of B, which stay in the L2.
__device__ int2 grouped_tile(int m, int n) {
  const int tiles_m = (m + BM - 1) / BM, tiles_n = (n + BN - 1) / BN;
  const int group = blockIdx.x / (GROUP_M * tiles_n), in_group = blockIdx.x % (GROUP_M * tiles_n);
  const int rows = min(GROUP_M, tiles_m - group * GROUP_M);  // the last group may have fewer
  return {group * GROUP_M + in_group % rows, in_group / rows};
}

// A place in shared memory that goes from piece to piece; after the last one the first one follows.
struct Turn {
  int piece;
  __device__ int next() {  // the way to it, in bytes
    piece = piece + 1 == STAGES ? 0 : piece + 1;
    return piece == 0 ? -int{sizeof(Piece)} * (STAGES - 1) : int{sizeof(Piece)};
  }
};

// Rung 7 without waiting. While a piece is multiplied, the next STAGES - 1 are on their way to shared memory; while a
// depth of it is multiplied, the next one is on its way to registers.
extern "C" __global__ void __launch_bounds__(THREADS)
    double_buffered(const float* a, const float* b, float* c, int m, int n, int k) {
  Piece* pieces = reinterpret_cast<Piece*>(shared);
  const int top = grouped_tile(m, n).x * BM, left = grouped_tile(m, n).y * BN;
  const int row = place_in_warp_tile().x, column = place_in_warp_tile().y;
  const int steps = (k + BK - 1) / BK;
  Copies copies(a, b, top, left, m, n, k);
  Turn writing{0}, reading{0};

#pragma unroll 1
  for (int s = 0; s < STAGES - 1; ++s) {
    if (s < steps) copies.next_piece(writing.next());
    cp_async_commit_group();
  }
  cp_async_wait_group<STAGES - 2>();  // the first piece is there,
  __syncthreads();                    // also what the other threads have copied of it

  float sum[TM][TN] = {};
  float of_a[2][TM], of_b[2][TN];  // one is multiplied while the other is loaded
  const float *a_place = &pieces[0].a[0][row], *b_place = &pieces[0].b[0][column];
  load_fours<TM, 4 * LM>(of_a[0], a_place);
  load_fours<TN, 4 * LN>(of_b[0], b_place);
#pragma unroll 1
  for (int step = 0; step < steps; ++step) {
#pragma unroll
    for (int i = 0; i < BK; ++i) {
      if (i == BK - 1) {  // of this piece all is in registers; the next one must be there, and the oldest is free
        cp_async_wait_group<STAGES - 2>();
        __syncthreads();
        // After the last piece its beginning is loaded once more: cheaper than to ask before each load.
        const int way = step + 1 < steps ? reading.next() / 4 : 0;
        a_place += way;
        b_place += way;
      }
      const int next = (i + 1) % 2;
      load_fours<TM, 4 * LM>(of_a[next], a_place + (i + 1) % BK * (BM + PAD));
      load_fours<TN, 4 * LN>(of_b[next], b_place + (i + 1) % BK * BN);
      if (i == 0) {
        if (step + STAGES - 1 < steps) copies.next_piece(writing.next());
        cp_async_commit_group();
      }
      add_products(sum, of_a[i % 2], of_b[i % 2]);
    }
  }
  store_results<4 * LM, 4 * LN>(sum, c, top + row, left + column, m, n);
}
