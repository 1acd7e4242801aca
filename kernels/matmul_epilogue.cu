// C = act(A · B + bias): A is M × K, B is K × N, C is M × N, all by rows; bias has N elements, one for each column.
// First as three kernels that hand a whole matrix on through memory, then as one that finishes what it has in
// registers.
//
// DTYPE     0: half, 1: bfloat16               ACTIVATION 0: ReLU, 1: GELU by its tanh formula
// BM BN     tile of C of a CTA                 BK       depth of A and B that shared memory holds at a time
// WARPS     warps that share the tile          STAGES   such pieces in shared memory      GROUP_M  tile rows in a group
#include "matmul_stages.cuh"

__device__ float activation(float x) {
  if (ACTIVATION == 0) return fmaxf(x, 0);
  return 0.5f * x * (1 + tanh_approx(0.7978845608f * (x + 0.044715f * x * x * x)));
}

// The pipeline of the lab matmul-tensor-core.
template <bool ALIGNED>
__device__ void multiply_tile(Sums& sum, const Element* a, const Element* b, int m, int n, int depth, int2 tile) {
  Pipeline<ALIGNED> pipeline(a, b, m, n, depth, tile);
  pipeline.start();
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

// A · B alone: what the other two begin with.
extern "C" __global__ void __launch_bounds__(THREADS)
    product(const Element* a, const Element* b, Element* c, int m, int n, int depth) {
  const int2 tile = tile_of_cta<GROUP_M>(m, n);
  Sums sum = {};
  multiply_tile<true>(sum, a, b, m, n, depth, tile);
  store_tile<true>(sum, c, m, n, tile);
}
extern "C" __global__ void __launch_bounds__(THREADS)
    product_unaligned(const Element* a, const Element* b, Element* c, int m, int n, int depth) {
  const int2 tile = tile_of_cta<GROUP_M>(m, n);
  Sums sum = {};
  multiply_tile<false>(sum, a, b, m, n, depth, tile);
  store_tile<false>(sum, c, m, n, tile);
}

// The two kernels of an interpreter: a CTA takes a row, a thread CHUNK elements of it at a time.
struct alignas(16) Chunk {
  Element value[CHUNK];
};
__device__ Chunk chunk_at(const Element* from) { return *reinterpret_cast<const Chunk*>(from); }

extern "C" __global__ void __launch_bounds__(THREADS) add_bias(Element* c, const Element* bias, int n, int aligned) {
  Element* row = c + static_cast<long long>(blockIdx.x) * n;
  for (int s = threadIdx.x; s < n && !aligned; s += THREADS) row[s] = from_float(to_float(row[s]) + to_float(bias[s]));
  for (int s = threadIdx.x * CHUNK; s < n && aligned; s += THREADS * CHUNK) {
    Chunk x = chunk_at(row + s);
    const Chunk b = chunk_at(bias + s);
#pragma unroll
    for (int i = 0; i < CHUNK; ++i) x.value[i] = from_float(to_float(x.value[i]) + to_float(b.value[i]));
    *reinterpret_cast<Chunk*>(row + s) = x;
  }
}
extern "C" __global__ void __launch_bounds__(THREADS) activate(const Element* from, Element* c, int n, int aligned) {
  const long long row = static_cast<long long>(blockIdx.x) * n;
  for (int s = threadIdx.x; s < n && !aligned; s += THREADS)
    c[row + s] = from_float(activation(to_float(from[row + s])));
  for (int s = threadIdx.x * CHUNK; s < n && aligned; s += THREADS * CHUNK) {
    Chunk x = chunk_at(from + row + s);
#pragma unroll
    for (int i = 0; i < CHUNK; ++i) x.value[i] = from_float(activation(to_float(x.value[i])));
    *reinterpret_cast<Chunk*>(c + row + s) = x;
  }
}

// The bias of a column and of the next one; of columns past the end anything.
template <bool ALIGNED>
__device__ float2 bias_of(const Element* bias, int column, int n) {
  if (ALIGNED) return column < n ? to_floats(*reinterpret_cast<const Pair*>(bias + column)) : float2{};
  return {column < n ? to_float(bias[column]) : 0, column + 1 < n ? to_float(bias[column + 1]) : 0};
}
__device__ float finish(float sum, float bias) { return activation(sum + bias); }

// The epilogue on the accumulators: a lane's columns are the same in all of its rows, so it reads each bias once.
template <bool ALIGNED>
__device__ void finish_tile(Sums& sum, const Element* bias, int n, int first_column) {
#pragma unroll
  for (int j = 0; j < WN / 8; ++j) {
    const float2 of_columns = bias_of<ALIGNED>(bias, first_column + j * 8, n);
#pragma unroll
    for (int i = 0; i < WM / 16; ++i)
#pragma unroll
      for (int k = 0; k < 4; ++k) sum[i][j][k] = finish(sum[i][j][k], k % 2 == 0 ? of_columns.x : of_columns.y);
  }
}

extern "C" __global__ void __launch_bounds__(THREADS)
    fused(const Element* a, const Element* b, const Element* bias, Element* c, int m, int n, int depth) {
  const int2 tile = tile_of_cta<GROUP_M>(m, n);
  Sums sum = {};
  multiply_tile<true>(sum, a, b, m, n, depth, tile);
  finish_tile<true>(sum, bias, n, first_column_of_lane(tile.y));
  store_tile<true>(sum, c, m, n, tile);
}
extern "C" __global__ void __launch_bounds__(THREADS)
    fused_unaligned(const Element* a, const Element* b, const Element* bias, Element* c, int m, int n, int depth) {
  const int2 tile = tile_of_cta<GROUP_M>(m, n);
  Sums sum = {};
  multiply_tile<false>(sum, a, b, m, n, depth, tile);
  finish_tile<false>(sum, bias, n, first_column_of_lane(tile.y));
  store_tile<false>(sum, c, m, n, tile);
}
