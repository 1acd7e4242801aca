// The sums over rows that a thread keeps of its columns, for the gradients of gamma and beta, and how a CTA leaves them
// in memory: `parts` has a row of dgamma for each CTA, then a row of dbeta for each.
#pragma once

#include "rows.cuh"

/// The sums of VECTORS vectors of columns: [0] for dgamma, [1] for dbeta.
using ColumnSums = float[2][VECTORS][WIDTH];

/// The row belongs to the whole CTA: each column is one thread's, and its sum the CTA's.
__device__ inline void store_sums(const ColumnSums& sums, float* parts, int columns) {
#pragma unroll
  for (int half = 0; half < 2; ++half)
#pragma unroll
    for (int v = 0; v < VECTORS; ++v)
#pragma unroll
      for (int k = 0; k < WIDTH; k += 4)
        if (const int c = (v * BLOCK + threadIdx.x) * WIDTH + k; c < columns)
          *reinterpret_cast<float4*>(parts + static_cast<long long>(half * gridDim.x + blockIdx.x) * columns + c) =
              make_float4(sums[half][v][k], sums[half][v][k + 1], sums[half][v][k + 2], sums[half][v][k + 3]);
}

/// A lane's sums of one vector into the shared memory of its warp, where neighbouring words are neighbouring columns,
/// or at least whole halves of a vector are: HALF floats lie between the two of a lane.
template <bool BY_ELEMENT, int HALF>
__device__ void store_sums_of_vector(const float (&slice)[WIDTH], float* shared, int lane) {
  if constexpr (BY_ELEMENT) {
#pragma unroll
    for (int k = 0; k < WIDTH; ++k) shared[k * LANES + lane] = slice[k];
  } else {
#pragma unroll
    for (int k = 0; k < WIDTH; k += 4)
      *reinterpret_cast<float4*>(shared + k / 4 * HALF + lane * 4) =
          make_float4(slice[k], slice[k + 1], slice[k + 2], slice[k + 3]);
  }
}

/// The row belongs to LANES lanes of a warp. The CTA's sums go over the groups of a warp by shuffles, over the warps in
/// shared memory, which has a kB for each warp. So not all slices fit at once; a slice is dgamma or dbeta of one vector
/// of each lane.
template <bool BY_ELEMENT>
__device__ void add_groups(ColumnSums& sums, float* parts, int columns) {
  constexpr int SLICE = LANES * WIDTH, WARPS = BLOCK / 32;
  constexpr int AT_ONCE = SLICE * 2 * VECTORS <= 256 ? 2 * VECTORS : 256 / SLICE;
  // The first 4 sums of a lane's vector lie beside those of the other lanes, and so do the next 4 if there are more:
  // stores of 16 bytes without conflicts. Half a row of banks apart, so that reads have none either.
  constexpr int HALF = LANES * 4 + (LANES >= 8 ? 16 : 0), PITCH = BY_ELEMENT || WIDTH == 4 ? SLICE : 2 * HALF;
  __shared__ __align__(16) float per_warp[WARPS][AT_ONCE][PITCH];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
#pragma unroll
  for (int first = 0; first < 2 * VECTORS; first += AT_ONCE) {
    if (first != 0) __syncthreads();  // until all have read what the last iteration left
#pragma unroll
    for (int i = 0; i < AT_ONCE; ++i) {
      float(&slice)[WIDTH] = sums[(first + i) / VECTORS][(first + i) % VECTORS];
#pragma unroll
      for (int k = 0; k < WIDTH; ++k)
#pragma unroll
        for (int distance = LANES; distance < 32; distance *= 2)
          slice[k] += __shfl_xor_sync(0xffffffff, slice[k], distance);
      if (lane < LANES) store_sums_of_vector<BY_ELEMENT, HALF>(slice, per_warp[warp][i], lane);
    }
    __syncthreads();
    for (int at = threadIdx.x; at < AT_ONCE * SLICE; at += BLOCK) {
      const int i = at / SLICE, index = at % SLICE;
      const int from = BY_ELEMENT || WIDTH == 4 ? index : index % WIDTH / 4 * HALF + index / WIDTH * 4 + index % 4;
      float sum = 0;
      for (int other = 0; other < WARPS; ++other) sum += per_warp[other][i][from];
      const int c = (first + i) % VECTORS * SLICE + index, slab = (first + i) / VECTORS * gridDim.x + blockIdx.x;
      if (c < columns) parts[static_cast<long long>(slab) * columns + c] = sum;
    }
  }
}
