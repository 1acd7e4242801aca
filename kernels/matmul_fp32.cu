// C = A · B in fp32, without tensor cores: A is M × K, B is K × N, C is M × N, all row-major, of any size.
// Eleven rungs. The first two read A and B from global memory for every product. The next three keep tiles of them in
// shared memory and accumulators in registers. The last six issue little but multiply-adds.
//
// TILE      rungs 1 to 4: edge of the square of threads     TM TN    results of one thread, rows and columns
// BM BN     tile of C that one CTA computes                 BK       extent along K of a k-tile, a tile of A and of B
// WM        rows of C that one warp computes                STAGES   k-tiles that shared memory holds
// GROUP_M   rows of tiles in a group of the tile order
#include "common.cuh"
#include "tile_order.cuh"

// Elements outside of a matrix are read as zeros, which add nothing, and are not written.
__device__ float load_element(const float* matrix, int row, int column, int rows, int columns) {
  return row < rows && column < columns ? matrix[row * columns + column] : 0.0f;
}
__device__ void store_element(float* matrix, int row, int column, int rows, int columns, float value) {
  if (row < rows && column < columns) matrix[row * columns + column] = value;
}

// ---- 1 and 2: one result per thread, everything from global memory -------------------------------------------------

// Neighbouring threads compute neighbouring rows: in A and in C the lanes of a warp are a whole row apart.
extern "C" __global__ void __launch_bounds__(TILE* TILE)
    naive(const float* a, const float* b, float* c, int M, int N, int K) {
  const int row = blockIdx.x * TILE + threadIdx.x, column = blockIdx.y * TILE + threadIdx.y;
  if (row >= M || column >= N) return;
  float accumulator = 0;
  for (int k = 0; k < K; ++k) accumulator += a[row * K + k] * b[k * N + column];
  c[row * N + column] = accumulator;
}

// Neighbouring threads compute neighbouring columns: the lanes of a warp follow rows of B and C, and all of them read
// the same element of A.
extern "C" __global__ void __launch_bounds__(TILE* TILE)
    coalesced(const float* a, const float* b, float* c, int M, int N, int K) {
  const int row = blockIdx.y * TILE + threadIdx.y, column = blockIdx.x * TILE + threadIdx.x;
  if (row >= M || column >= N) return;
  float accumulator = 0;
  for (int k = 0; k < K; ++k) accumulator += a[row * K + k] * b[k * N + column];
  c[row * N + column] = accumulator;
}

// ---- 3 to 5: k-tiles in shared memory, more and more results in registers ------------------------------------------

// The threads of a CTA load a tile of A and a tile of B together. Each thread then finds in shared memory what it needs
// for TILE products, and has loaded only two elements for them.
extern "C" __global__ void __launch_bounds__(TILE* TILE)
    shared_tile(const float* a, const float* b, float* c, int M, int N, int K) {
  __shared__ float a_tile[TILE][TILE];  // (row, k)
  __shared__ float b_tile[TILE][TILE];  // (k, column)
  const int x = threadIdx.x, y = threadIdx.y;
  const int row = blockIdx.y * TILE + y, column = blockIdx.x * TILE + x;
  float accumulator = 0;
  for (int k0 = 0; k0 < K; k0 += TILE) {
    a_tile[y][x] = load_element(a, row, k0 + x, M, K);
    b_tile[y][x] = load_element(b, k0 + y, column, K, N);
    __syncthreads();
    for (int k = 0; k < TILE; ++k) accumulator += a_tile[y][k] * b_tile[k][x];
    __syncthreads();
  }
  store_element(c, row, column, M, N, accumulator);
}

// Rows of C per CTA of rung 4. The lab refuses more: static shared memory is 48 KiB. But the file must compile then
// too.
constexpr int ROWS_1D = TM * TILE < 256 ? TM * TILE : 256;

// A thread computes TM results of one column. It loads an element of B into a register once and uses it TM times.
extern "C" __global__ void __launch_bounds__(TILE* TILE)
    register_1d(const float* a, const float* b, float* c, int M, int N, int K) {
  __shared__ float a_tile[ROWS_1D][TILE];  // (row, k)
  __shared__ float b_tile[TILE][TILE];     // (k, column)
  const int x = threadIdx.x, y = threadIdx.y;
  const int row = blockIdx.y * TM * TILE + y, column = blockIdx.x * TILE + x;
  float accumulators[TM] = {};  // rows TILE apart
  for (int k0 = 0; k0 < K; k0 += TILE) {
#pragma unroll
    for (int t = 0; t < TM; ++t) a_tile[t * TILE + y][x] = load_element(a, row + t * TILE, k0 + x, M, K);
    b_tile[y][x] = load_element(b, k0 + y, column, K, N);
    __syncthreads();
    for (int k = 0; k < TILE; ++k) {
      const float b_frag = b_tile[k][x];
#pragma unroll
      for (int t = 0; t < TM; ++t) accumulators[t] += a_tile[t * TILE + y][k] * b_frag;
    }
    __syncthreads();
  }
#pragma unroll
  for (int t = 0; t < TM; ++t) store_element(c, row + t * TILE, column, M, N, accumulators[t]);
}

// From here on a CTA computes BM × BN results, and a thread TM × TN of them: the threads of a CTA form THREADS_M rows
// and THREADS_N columns. The limits are there so that values which the lab refuses still compile.
extern __shared__ __align__(16) float shared[];
constexpr int WANTED = BM * BN / (TM * TN), THREADS = WANTED < 32 ? 32 : WANTED > 1024 ? 1024 : WANTED;
constexpr int THREADS_M = BM / TM > 1 ? BM / TM : 1, THREADS_N = BN / TN > 1 ? BN / TN : 1;

// TM + TN elements make TM · TN multiply-adds. Columns run forth in even rows and back in odd ones, so that consecutive
// multiply-adds share an operand.
__device__ void add_outer_product(float (&accumulators)[TM][TN], const float (&a_frag)[TM], const float (&b_frag)[TN]) {
#pragma unroll
  for (int t = 0; t < TM; ++t)
#pragma unroll
    for (int i = 0; i < TN; ++i) {
      const int u = t % 2 == 0 ? i : TN - 1 - i;
      accumulators[t][u] += a_frag[t] * b_frag[u];
    }
}

// A thread computes TM × TN results. Its rows are THREADS_M apart and its columns THREADS_N, so that the lanes of a
// warp always access neighbouring columns.
extern "C" __global__ void __launch_bounds__(THREADS)
    register_2d(const float* a, const float* b, float* c, int M, int N, int K) {
  float(*a_tile)[BK] = reinterpret_cast<float(*)[BK]>(shared);            // (BM, BK)
  float(*b_tile)[BN] = reinterpret_cast<float(*)[BN]>(shared + BM * BK);  // (BK, BN)
  const int top = blockIdx.y * BM, left = blockIdx.x * BN;
  const int x = threadIdx.x % THREADS_N, y = threadIdx.x / THREADS_N;
  float accumulators[TM][TN] = {};
  for (int k0 = 0; k0 < K; k0 += BK) {
    for (int i = threadIdx.x; i < BM * BK; i += THREADS)
      a_tile[i / BK][i % BK] = load_element(a, top + i / BK, k0 + i % BK, M, K);
    for (int i = threadIdx.x; i < BK * BN; i += THREADS)
      b_tile[i / BN][i % BN] = load_element(b, k0 + i / BN, left + i % BN, K, N);
    __syncthreads();
    for (int k = 0; k < BK; ++k) {
      float a_frag[TM], b_frag[TN];
#pragma unroll
      for (int t = 0; t < TM; ++t) a_frag[t] = a_tile[t * THREADS_M + y][k];
#pragma unroll
      for (int u = 0; u < TN; ++u) b_frag[u] = b_tile[k][u * THREADS_N + x];
      add_outer_product(accumulators, a_frag, b_frag);
    }
    __syncthreads();
  }
#pragma unroll
  for (int t = 0; t < TM; ++t)
#pragma unroll
    for (int u = 0; u < TN; ++u)
      store_element(c, top + t * THREADS_M + y, left + u * THREADS_N + x, M, N, accumulators[t][u]);
}

// ---- 6 to 8: 16 bytes at a time, a tile for each warp, CTAs that share tiles in the L2 -----------------------------

// A k-tile. A is stored transposed: what a thread needs of it for one k is contiguous, as in B. PAD unused words put
// the next k of A into other banks.
constexpr int PAD = 4;
struct KTile {
  float a[BK][BM + PAD];  // (k, row)
  float b[BK][BN];        // (k, column)
};

// Four neighbours of a row, in one access of 16 bytes if every row of the matrix begins on a 16-byte boundary.
__device__ float4 load_four(const float* matrix, int row, int column, int rows, int columns) {
  if (columns % 4 == 0) {
    const bool inside = row < rows && column < columns;
    return inside ? *reinterpret_cast<const float4*>(matrix + row * columns + column) : float4{};
  }
  return {load_element(matrix, row, column, rows, columns), load_element(matrix, row, column + 1, rows, columns),
          load_element(matrix, row, column + 2, rows, columns), load_element(matrix, row, column + 3, rows, columns)};
}
__device__ void store_four(float* matrix, int row, int column, int rows, int columns, const float* values) {
  if (columns % 4 == 0) {
    if (row < rows && column < columns)
      *reinterpret_cast<float4*>(matrix + row * columns + column) = {values[0], values[1], values[2], values[3]};
  } else {
#pragma unroll
    for (int i = 0; i < 4; ++i) store_element(matrix, row, column + i, rows, columns, values[i]);
  }
}

// All threads of the CTA load a k-tile. With one store a warp transposes 16 rows of A for 2 values of k, which are
// whole sectors of global memory and 32 different banks of shared memory.
__device__ void load_k_tile(KTile& to, const float* a, const float* b, int top, int left, int k0, int M, int N, int K) {
#pragma unroll
  for (int i = threadIdx.x; i < BM * BK / 4; i += THREADS) {
    const int row = i / 2 % BM, k = i % 2 * 4 + i / (2 * BM) * 8;
    const float4 four = load_four(a, top + row, k0 + k, M, K);
    to.a[k][row] = four.x;
    to.a[k + 1][row] = four.y;
    to.a[k + 2][row] = four.z;
    to.a[k + 3][row] = four.w;
  }
#pragma unroll
  for (int i = threadIdx.x; i < BK * BN / 4; i += THREADS) {
    const int k = i / (BN / 4), column = i % (BN / 4) * 4;
    *reinterpret_cast<float4*>(&to.b[k][column]) = load_four(b, k0 + k, left + column, K, N);
  }
}

// A thread's part of one k of a tile, in groups of four neighbours; the groups are STRIDE words apart.
template <int COUNT, int STRIDE>
__device__ void load_fragment(float (&fragment)[COUNT], const float* first) {
#pragma unroll
  for (int i = 0; i < COUNT; i += 4) {
    const float4 four = *reinterpret_cast<const float4*>(first + i / 4 * STRIDE);
    fragment[i] = four.x;
    fragment[i + 1] = four.y;
    fragment[i + 2] = four.z;
    fragment[i + 3] = four.w;
  }
}
template <int ROW_STRIDE, int COLUMN_STRIDE>
__device__ void store_results(const float (&accumulators)[TM][TN], float* c, int row, int column, int M, int N) {
#pragma unroll
  for (int t = 0; t < TM; ++t)
#pragma unroll
    for (int u = 0; u < TN; u += 4)
      store_four(c, row + t / 4 * ROW_STRIDE + t % 4, column + u / 4 * COLUMN_STRIDE, M, N, &accumulators[t][u]);
}

// Rung 5 with accesses of 16 bytes, to and from global and shared memory.
extern "C" __global__ void __launch_bounds__(THREADS)
    vectorised(const float* a, const float* b, float* c, int M, int N, int K) {
  KTile& k_tile = *reinterpret_cast<KTile*>(shared);
  const int top = blockIdx.y * BM, left = blockIdx.x * BN;
  const int row = threadIdx.x / THREADS_N * 4, column = threadIdx.x % THREADS_N * 4;
  float accumulators[TM][TN] = {};
  for (int k0 = 0; k0 < K; k0 += BK) {
    load_k_tile(k_tile, a, b, top, left, k0, M, N, K);
    __syncthreads();
#pragma unroll
    for (int k = 0; k < BK; ++k) {
      float a_frag[TM], b_frag[TN];
      load_fragment<TM, 4 * THREADS_M>(a_frag, &k_tile.a[k][row]);
      load_fragment<TN, 4 * THREADS_N>(b_frag, &k_tile.b[k][column]);
      add_outer_product(accumulators, a_frag, b_frag);
    }
    __syncthreads();
  }
  store_results<4 * THREADS_M, 4 * THREADS_N>(accumulators, c, top + row, left + column, M, N);
}

// A warp computes a tile of WM × WN; its lanes form LM rows and LN columns.
constexpr int LM = WM / TM > 1 ? WM / TM : 1, LN = 32 / LM > 1 ? 32 / LM : 1, WN = LN * TN;
constexpr int WARPS_N = BN / WN > 1 ? BN / WN : 1;

// The row and column of the thread's first result in the CTA's tile. Lanes that differ only in bit 0 of their number
// have the same rows of A, those that differ only in bit 1 the same columns of B. Then 32 lanes load 16 bytes each in
// two wavefronts instead of four.
__device__ int2 offset_in_tile() {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int lane_row = lane / 2 % LM, lane_column = lane % 2 + lane / (2 * LM) * 2;
  return {warp / WARPS_N * WM + lane_row * 4, warp % WARPS_N * WN + lane_column * 4};
}

// Rung 6 with threads assigned differently: each warp computes a tile of its own that is nearly square.
extern "C" __global__ void __launch_bounds__(THREADS)
    warp_tile(const float* a, const float* b, float* c, int M, int N, int K) {
  KTile& k_tile = *reinterpret_cast<KTile*>(shared);
  const int top = blockIdx.y * BM, left = blockIdx.x * BN;
  const int row = offset_in_tile().x, column = offset_in_tile().y;
  float accumulators[TM][TN] = {};
  for (int k0 = 0; k0 < K; k0 += BK) {
    load_k_tile(k_tile, a, b, top, left, k0, M, N, K);
    __syncthreads();
#pragma unroll
    for (int k = 0; k < BK; ++k) {
      float a_frag[TM], b_frag[TN];
      load_fragment<TM, 4 * LM>(a_frag, &k_tile.a[k][row]);
      load_fragment<TN, 4 * LN>(b_frag, &k_tile.b[k][column]);
      add_outer_product(accumulators, a_frag, b_frag);
    }
    __syncthreads();
  }
  store_results<4 * LM, 4 * LN>(accumulators, c, top + row, left + column, M, N);
}

// Rung 7 in a different order: CTAs that run at the same time need few rows of A and few columns of B, which the L2
// then holds.
extern "C" __global__ void __launch_bounds__(THREADS)
    grouped_tiles(const float* a, const float* b, float* c, int M, int N, int K) {
  KTile& k_tile = *reinterpret_cast<KTile*>(shared);
  const int2 tile = grouped_tile(blockIdx.x, (M + BM - 1) / BM, (N + BN - 1) / BN, GROUP_M);
  const int top = tile.x * BM, left = tile.y * BN;
  const int row = offset_in_tile().x, column = offset_in_tile().y;
  float accumulators[TM][TN] = {};
  for (int k0 = 0; k0 < K; k0 += BK) {
    load_k_tile(k_tile, a, b, top, left, k0, M, N, K);
    __syncthreads();
#pragma unroll
    for (int k = 0; k < BK; ++k) {
      float a_frag[TM], b_frag[TN];
      load_fragment<TM, 4 * LM>(a_frag, &k_tile.a[k][row]);
      load_fragment<TN, 4 * LN>(b_frag, &k_tile.b[k][column]);
      add_outer_product(accumulators, a_frag, b_frag);
    }
    __syncthreads();
  }
  store_results<4 * LM, 4 * LN>(accumulators, c, top + row, left + column, M, N);
}

// ---- 9 to 11: loads that no thread waits for -----------------------------------------------------------------------

// Copies need no mask. In place of a row or column outside of the matrix they read the last one inside, because the
// results that follow from it are not stored. Beyond K they read no bytes, and cp.async writes zeros.
__device__ int clamped(int index, int count) { return min(index, count - 1); }
__device__ int bytes_inside(int k, int K, int bytes) { return k < K ? bytes : 0; }

// B where rows do not begin on 16-byte boundaries.
__device__ void copy_b_by_element(unsigned b_tile, const float* b, int left, int k0, int N, int K) {
#pragma unroll 1
  for (int i = threadIdx.x; i < BK * BN; i += THREADS) {
    const int k = k0 + i / BN, column = left + i % BN;
    cp_async_float(b_tile + i * 4, b + k * N + clamped(column, N), bytes_inside(k, K, 4));
  }
}

// load_k_tile with asynchronous copies. They cannot transpose, so elements of A are copied one by one: 4 rows for 8
// values of k by a warp, which are again whole sectors and 32 different banks.
__device__ void copy_k_tile(KTile& to, const float* a, const float* b, int top, int left, int k0, int M, int N, int K) {
#pragma unroll
  for (int i = threadIdx.x; i < BM * BK; i += THREADS) {
    const int row = i / 8 % BM, k = i % 8 + i / (8 * BM) * 8;
    cp_async_float(shared_address(&to.a[k][row]), a + clamped(top + row, M) * K + k0 + k, bytes_inside(k0 + k, K, 4));
  }
  if (N % 4 != 0) return copy_b_by_element(shared_address(to.b), b, left, k0, N, K);
#pragma unroll
  for (int i = threadIdx.x; i < BK * BN / 4; i += THREADS) {
    const int k = i / (BN / 4), column = i % (BN / 4) * 4;
    cp_async(shared_address(&to.b[k][column]), b + (k0 + k) * N + clamped(left + column, N - 3),
             bytes_inside(k0 + k, K, 16));
  }
}

// Rung 8 with STAGES k-tiles in shared memory. While one is multiplied, the next STAGES - 1 are in flight.
extern "C" __global__ void __launch_bounds__(THREADS)
    multi_stage(const float* a, const float* b, float* c, int M, int N, int K) {
  KTile* k_tiles = reinterpret_cast<KTile*>(shared);  // (STAGES)
  const int2 tile = grouped_tile(blockIdx.x, (M + BM - 1) / BM, (N + BN - 1) / BN, GROUP_M);
  const int top = tile.x * BM, left = tile.y * BN;
  const int row = offset_in_tile().x, column = offset_in_tile().y;
  const int steps = (K + BK - 1) / BK;
  for (int step = 0; step < STAGES - 1; ++step) {
    if (step < steps) copy_k_tile(k_tiles[step], a, b, top, left, step * BK, M, N, K);
    cp_async_commit_group();
  }
  float accumulators[TM][TN] = {};
  for (int step = 0; step < steps; ++step) {
    cp_async_wait_group<STAGES - 2>();  // this k-tile has arrived, and after the barrier what other threads copied too
    __syncthreads();                    // all threads have also finished with the k-tile that is overwritten next
    const int next = step + STAGES - 1;
    if (next < steps) copy_k_tile(k_tiles[next % STAGES], a, b, top, left, next * BK, M, N, K);
    cp_async_commit_group();
    const KTile& k_tile = k_tiles[step % STAGES];
#pragma unroll
    for (int k = 0; k < BK; ++k) {
      float a_frag[TM], b_frag[TN];
      load_fragment<TM, 4 * LM>(a_frag, &k_tile.a[k][row]);
      load_fragment<TN, 4 * LN>(b_frag, &k_tile.b[k][column]);
      add_outer_product(accumulators, a_frag, b_frag);
    }
  }
  store_results<4 * LM, 4 * LN>(accumulators, c, top + row, left + column, M, N);
}

// The copies of copy_k_tile, for one k-tile after the other. A thread computes its addresses once; for the next k-tile
// it only adds a constant to them.
struct RunningCopies {
  static constexpr int A_STEP = THREADS / 8;                                  // rows of A that all threads copy at once
  static constexpr int A_COPIES = (BM * BK + THREADS - 1) / THREADS;          // per thread and k-tile
  static constexpr int A_ROWS = BM / A_STEP > 1 ? BM / A_STEP : 1;            // different rows among these
  static constexpr int B_STEP = THREADS * 4 / BN > 1 ? THREADS * 4 / BN : 1;  // rows of B that all threads copy at once
  static constexpr int B_COPIES = (BK + B_STEP - 1) / B_STEP;
  const float *a, *b;
  int left, N, K;
  int a_offset[A_ROWS], b_offset;  // the thread's first elements in the matrices
  int a_k, b_k;                    // their k
  unsigned a_address, b_address;   // where the copies of them go, in shared memory

  __device__ RunningCopies(KTile& first, const float* a, const float* b, int top, int left, int M, int N, int K)
      : a(a), b(b), left(left), N(N), K(K) {
    const int a_row = threadIdx.x / 8 % BM, b_column = threadIdx.x % (BN / 4) * 4;
    a_k = threadIdx.x % 8 + threadIdx.x / (8 * BM) * 8;
    b_k = threadIdx.x / (BN / 4);
#pragma unroll
    for (int i = 0; i < A_ROWS; ++i) a_offset[i] = clamped(top + a_row + i * A_STEP, M) * K + a_k;
    b_offset = b_k * N + clamped(left + b_column, N - 3);  // the last four columns begin at N - 4
    a_address = shared_address(&first.a[a_k][a_row]);
    b_address = shared_address(&first.b[b_k][b_column]);
  }

  // Issues the copies of a k-tile. The following k-tile goes to the stage that is stage_offset bytes further on.
  __device__ void next(int stage_offset) {
#pragma unroll
    for (int i = 0; i < A_COPIES; ++i) {
      const int row = i % A_ROWS * A_STEP, k = i / A_ROWS * (A_ROWS * THREADS / BM);
      if (BM * BK % THREADS == 0 || threadIdx.x < BM * BK)
        cp_async_float(a_address + (k * (BM + PAD) + row) * 4, a + a_offset[i % A_ROWS] + k,
                       bytes_inside(a_k + k, K, 4));
    }
    if (N % 4 == 0) {
#pragma unroll
      for (int i = 0; i < B_COPIES; ++i)
        if (BK % B_STEP == 0 || threadIdx.x < BK * BN / 4)
          cp_async(b_address + i * B_STEP * BN * 4, b + b_offset + i * B_STEP * N,
                   bytes_inside(b_k + i * B_STEP, K, 16));
    } else {
      copy_b_by_element(b_address - threadIdx.x * 16, b, left, b_k - threadIdx.x / (BN / 4), N, K);
    }
#pragma unroll
    for (int i = 0; i < A_ROWS; ++i) a_offset[i] += BK;
    b_offset += BK * N;
    a_k += BK;
    b_k += BK;
    a_address += stage_offset;
    b_address += stage_offset;
  }
};

// One of the STAGES k-tiles in shared memory; the first follows the last.
struct Stage {
  int index;
  __device__ int advance() {  // returns the offset to the next stage, in bytes
    index = index + 1 == STAGES ? 0 : index + 1;
    return index == 0 ? -int{sizeof(KTile)} * (STAGES - 1) : int{sizeof(KTile)};
  }
};

// Rung 9 with addresses that are advanced, not computed anew for every k-tile.
extern "C" __global__ void __launch_bounds__(THREADS)
    running_addresses(const float* a, const float* b, float* c, int M, int N, int K) {
  KTile* k_tiles = reinterpret_cast<KTile*>(shared);  // (STAGES)
  const int2 tile = grouped_tile(blockIdx.x, (M + BM - 1) / BM, (N + BN - 1) / BN, GROUP_M);
  const int top = tile.x * BM, left = tile.y * BN;
  const int row = offset_in_tile().x, column = offset_in_tile().y;
  const int steps = (K + BK - 1) / BK;
  RunningCopies copies(k_tiles[0], a, b, top, left, M, N, K);
  Stage writing{0}, reading{0};
  for (int step = 0; step < STAGES - 1; ++step) {
    if (step < steps) copies.next(writing.advance());
    cp_async_commit_group();
  }
  float accumulators[TM][TN] = {};
  const float *a_first = &k_tiles[0].a[0][row], *b_first = &k_tiles[0].b[0][column];  // in the k-tile that is read
  for (int step = 0; step < steps; ++step) {
    cp_async_wait_group<STAGES - 2>();  // this k-tile has arrived, and after the barrier what other threads copied too
    __syncthreads();                    // all threads have also finished with the k-tile that is overwritten next
    if (step + STAGES - 1 < steps) copies.next(writing.advance());
    cp_async_commit_group();
#pragma unroll
    for (int k = 0; k < BK; ++k) {
      float a_frag[TM], b_frag[TN];
      load_fragment<TM, 4 * LM>(a_frag, a_first + k * (BM + PAD));
      load_fragment<TN, 4 * LN>(b_frag, b_first + k * BN);
      add_outer_product(accumulators, a_frag, b_frag);
    }
    const int stage_offset = reading.advance() / 4;
    a_first += stage_offset;
    b_first += stage_offset;
  }
  store_results<4 * LM, 4 * LN>(accumulators, c, top + row, left + column, M, N);
}

// Rung 10 with two sets of fragments: while one is multiplied, the other is in flight from shared memory.
extern "C" __global__ void __launch_bounds__(THREADS)
    double_buffered(const float* a, const float* b, float* c, int M, int N, int K) {
  KTile* k_tiles = reinterpret_cast<KTile*>(shared);  // (STAGES)
  const int2 tile = grouped_tile(blockIdx.x, (M + BM - 1) / BM, (N + BN - 1) / BN, GROUP_M);
  const int top = tile.x * BM, left = tile.y * BN;
  const int row = offset_in_tile().x, column = offset_in_tile().y;
  const int steps = (K + BK - 1) / BK;
  RunningCopies copies(k_tiles[0], a, b, top, left, M, N, K);
  Stage writing{0}, reading{0};
  for (int step = 0; step < STAGES - 1; ++step) {
    if (step < steps) copies.next(writing.advance());
    cp_async_commit_group();
  }
  cp_async_wait_group<STAGES - 2>();  // the first k-tile has arrived,
  __syncthreads();                    // also what other threads copied of it
  float accumulators[TM][TN] = {};
  float a_frag[2][TM], b_frag[2][TN];  // (k % 2, rows or columns of the thread)
  const float *a_first = &k_tiles[0].a[0][row], *b_first = &k_tiles[0].b[0][column];  // in the k-tile that is read
  load_fragment<TM, 4 * LM>(a_frag[0], a_first);
  load_fragment<TN, 4 * LN>(b_frag[0], b_first);
  for (int step = 0; step < steps; ++step) {
#pragma unroll
    for (int k = 0; k < BK; ++k) {
      if (k == BK - 1) {  // all of this k-tile is in registers: the next must have arrived, the oldest is free
        cp_async_wait_group<STAGES - 2>();
        __syncthreads();
        // After the last k-tile its first fragments are loaded once more: cheaper than a branch around each load.
        const int stage_offset = step + 1 < steps ? reading.advance() / 4 : 0;
        a_first += stage_offset;
        b_first += stage_offset;
      }
      load_fragment<TM, 4 * LM>(a_frag[(k + 1) % 2], a_first + (k + 1) % BK * (BM + PAD));
      load_fragment<TN, 4 * LN>(b_frag[(k + 1) % 2], b_first + (k + 1) % BK * BN);
      if (k == 0) {
        if (step + STAGES - 1 < steps) copies.next(writing.advance());
        cp_async_commit_group();
      }
      add_outer_product(accumulators, a_frag[k % 2], b_frag[k % 2]);
    }
  }
  store_results<4 * LM, 4 * LN>(accumulators, c, top + row, left + column, M, N);
}
