// C = A · B in single precision on the CUDA cores, in grouped order: for tools/orders/count.sh alone, which counts
// bytes. 256 threads, each with a part of the BM × BN tile of C; STAGES k-tiles of A and B in shared memory.
#include "common.cuh"

constexpr int TM = BM / 16, TN = BN / 16;  // tile of one thread

__device__ int2 tile_of(int block, int tiles_m, int tiles_n) {
  const int group = block / (GROUP_M * tiles_n), in_group = block % (GROUP_M * tiles_n);
  const int rows = min(GROUP_M, tiles_m - group * GROUP_M);
  return make_int2(group * GROUP_M + in_group % rows, in_group / rows);
}

extern "C" __global__ void __launch_bounds__(256)
    matmul_grouped(const float* a, const float* b, float* c, int m, int n, int k) {
  extern __shared__ __align__(128) char shared[];
  float* a_tiles = reinterpret_cast<float*>(shared);  // STAGES × BM × BK
  float* b_tiles = a_tiles + STAGES * BM * BK;        // STAGES × BK × BN
  const int2 tile = tile_of(blockIdx.x, (m + BM - 1) / BM, (n + BN - 1) / BN);
  const int first_row = tile.x * BM, first_column = tile.y * BN;
  const int tx = threadIdx.x % 16, ty = threadIdx.x / 16;
  const unsigned a_address = shared_address(a_tiles), b_address = shared_address(b_tiles);

  auto copy = [&](int step) {
    const int k0 = step * BK, stage = step % STAGES;
    for (int i = threadIdx.x; i < BM * BK / 4; i += 256) {
      const int row = i / (BK / 4), at = i % (BK / 4) * 4;
      const bool inside = first_row + row < m && k0 + at < k;
      cp_async(a_address + ((stage * BM + row) * BK + at) * 4,
               inside ? a + static_cast<long long>(first_row + row) * k + k0 + at : a, inside ? 16 : 0);
    }
    for (int i = threadIdx.x; i < BN * BK / 4; i += 256) {
      const int row = i / (BN / 4), at = i % (BN / 4) * 4;
      const bool inside = k0 + row < k && first_column + at < n;
      cp_async(b_address + ((stage * BK + row) * BN + at) * 4,
               inside ? b + static_cast<long long>(k0 + row) * n + first_column + at : b, inside ? 16 : 0);
    }
  };

  float accumulators[TM][TN] = {};
  const int steps = (k + BK - 1) / BK;
  for (int step = 0; step < STAGES - 1; ++step) {
    if (step < steps) copy(step);
    cp_async_commit_group();
  }
  for (int step = 0; step < steps; ++step) {
    cp_async_wait_group<STAGES - 2>();
    __syncthreads();
    if (step + STAGES - 1 < steps) copy(step + STAGES - 1);
    cp_async_commit_group();
    const float* a_tile = a_tiles + step % STAGES * BM * BK;
    const float* b_tile = b_tiles + step % STAGES * BK * BN;
#pragma unroll
    for (int inner = 0; inner < BK; ++inner) {
      float left[TM], right[TN];
#pragma unroll
      for (int i = 0; i < TM; ++i) left[i] = a_tile[(ty * TM + i) * BK + inner];
#pragma unroll
      for (int j = 0; j < TN; j += 4)
        *reinterpret_cast<float4*>(right + j) =
            *reinterpret_cast<const float4*>(b_tile + inner * BN + j * 16 + tx * 4);
#pragma unroll
      for (int i = 0; i < TM; ++i)
#pragma unroll
        for (int j = 0; j < TN; ++j) accumulators[i][j] += left[i] * right[j];
    }
  }
#pragma unroll
  for (int i = 0; i < TM; ++i)
#pragma unroll
    for (int j = 0; j < TN; j += 4) {
      const int row = first_row + ty * TM + i, column = first_column + j * 16 + tx * 4;
      if (row < m && column < n)
        *reinterpret_cast<float4*>(c + static_cast<long long>(row) * n + column) =
            *reinterpret_cast<const float4*>(&accumulators[i][j]);
    }
}
