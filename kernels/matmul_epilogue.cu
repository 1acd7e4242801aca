// C = act(A · B + bias): A is M × K, B is K × N, C is M × N, all row-major; bias has N elements, one for each column.
// First as three kernels, with a whole matrix in memory between each two, then as one kernel that applies bias and
// activation to the accumulators.
//
// DTYPE     0: half, 1: bfloat16               ACTIVATION  0: ReLU, 1: GELU by its tanh formula
// BM BN     tile of C of a CTA                 BK          extent along K of the k-tiles in shared memory
// WARPS     warps that share the tile          STAGES      k-tiles in shared memory      GROUP_M  tile rows in a group
#include "matmul_tiles.cuh"

__device__ float activation(float x) {
  if (ACTIVATION == 0) return fmaxf(x, 0);
  return 0.5f * x * (1 + tanh_approx(0.7978845608f * (x + 0.044715f * x * x * x)));
}

// acc = A · B for one tile of C, as rung 5 of the lab matmul-tensor-core.
template <bool ALIGNED>
__device__ void multiply_tile(Accumulators& acc, const Element* a, const Element* b, int m, int n, int k, int2 tile) {
  Pipeline<ALIGNED> pipeline(a, b, m, n, k, tile);
  const FragmentLoader fragments;
  pipeline.start();
  multiply_ahead(acc, pipeline, fragments);
}

// A · B alone: the first of the three kernels.
template <bool ALIGNED>
__device__ void product_tile(const Element* a, const Element* b, Element* c, int m, int n, int k) {
  const int2 tile = tile_at(blockIdx.x, m, n, GROUP_M);
  Accumulators acc = {};
  multiply_tile<ALIGNED>(acc, a, b, m, n, k, tile);
  store_tile<ALIGNED>(acc, c, m, n, tile);
}

extern "C" __global__ void __launch_bounds__(THREADS)
    product(const Element* a, const Element* b, Element* c, int m, int n, int k) {
  product_tile<true>(a, b, c, m, n, k);
}
// For rows that do not begin on 16 bytes.
extern "C" __global__ void __launch_bounds__(THREADS)
    product_unaligned(const Element* a, const Element* b, Element* c, int m, int n, int k) {
  product_tile<false>(a, b, c, m, n, k);
}

// The other two kernels: a CTA takes a row of C, and a thread VEC elements of it at a time if rows begin on 16 bytes.
extern "C" __global__ void __launch_bounds__(THREADS) add_bias(Element* c, const Element* bias, int n, int aligned) {
  Element* row = c + static_cast<long long>(blockIdx.x) * n;
  for (int s = threadIdx.x; s < n && !aligned; s += THREADS) row[s] = from_float(to_float(row[s]) + to_float(bias[s]));
  for (int s = threadIdx.x * VEC; s < n && aligned; s += THREADS * VEC) {
    Pack x = load_pack(row + s);
    const Pack b = load_pack(bias + s);
#pragma unroll
    for (int i = 0; i < VEC; ++i) x.value[i] = from_float(to_float(x.value[i]) + to_float(b.value[i]));
    store_pack(row + s, x);
  }
}
extern "C" __global__ void __launch_bounds__(THREADS) activate(const Element* from, Element* c, int n, int aligned) {
  const long long row = static_cast<long long>(blockIdx.x) * n;
  for (int s = threadIdx.x; s < n && !aligned; s += THREADS)
    c[row + s] = from_float(activation(to_float(from[row + s])));
  for (int s = threadIdx.x * VEC; s < n && aligned; s += THREADS * VEC) {
    Pack x = load_pack(from + row + s);
#pragma unroll
    for (int i = 0; i < VEC; ++i) x.value[i] = from_float(activation(to_float(x.value[i])));
    store_pack(c + row + s, x);
  }
}

// The bias of a column and of the next one. Past the end its value does not matter: nothing is stored there.
template <bool ALIGNED>
__device__ float2 bias_of(const Element* bias, int column, int n) {
  if (ALIGNED) return column < n ? to_floats(*reinterpret_cast<const Pair*>(bias + column)) : float2{};
  return {column < n ? to_float(bias[column]) : 0, column + 1 < n ? to_float(bias[column + 1]) : 0};
}
__device__ float finish(float sum, float bias) { return activation(sum + bias); }

// The epilogue. A lane has the same columns in all of its rows, so it reads each bias once.
template <bool ALIGNED>
__device__ void finish_tile(Accumulators& acc, const Element* bias, int n, int first_column) {
#pragma unroll
  for (int j = 0; j < WN / 8; ++j) {
    const float2 column_bias = bias_of<ALIGNED>(bias, first_column + j * 8, n);
#pragma unroll
    for (int i = 0; i < WM / 16; ++i)
#pragma unroll
      for (int e = 0; e < 4; ++e) acc[i][j][e] = finish(acc[i][j][e], e % 2 == 0 ? column_bias.x : column_bias.y);
  }
}

template <bool ALIGNED>
__device__ void fused_tile(const Element* a, const Element* b, const Element* bias, Element* c, int m, int n, int k) {
  const int2 tile = tile_at(blockIdx.x, m, n, GROUP_M);
  Accumulators acc = {};
  multiply_tile<ALIGNED>(acc, a, b, m, n, k, tile);
  finish_tile<ALIGNED>(acc, bias, n, first_column_of_lane(tile.y));
  store_tile<ALIGNED>(acc, c, m, n, tile);
}

extern "C" __global__ void __launch_bounds__(THREADS)
    fused(const Element* a, const Element* b, const Element* bias, Element* c, int m, int n, int k) {
  fused_tile<true>(a, b, bias, c, m, n, k);
}
extern "C" __global__ void __launch_bounds__(THREADS)
    fused_unaligned(const Element* a, const Element* b, const Element* bias, Element* c, int m, int n, int k) {
  fused_tile<false>(a, b, bias, c, m, n, k);
}
