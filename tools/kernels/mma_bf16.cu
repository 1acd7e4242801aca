// C = A·B in bf16 with tensor cores, row-major: what the simulator's speed on matrix instructions is measured with.
// Sizes are multiples of the tiles: 128 × 128 of C, 32 deep, by 8 warps of 64 × 32 each.
//
// Tiles come by cp.async into two buffers, whose rows are padded by 16 bytes so that eight of them lie in different
// banks; ldmatrix takes A as it lies and B transposed.
#include <cuda_bf16.h>

constexpr int BM = 128, BN = 128, BK = 32, PAD = 8;

__device__ unsigned shared_address(const void* pointer) {
  return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}
__device__ void copy_async(void* to, const void* from) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(to)), "l"(from) : "memory");
}
__device__ void load_matrices(unsigned (&r)[4], const void* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(shared_address(row)));
}
__device__ void load_matrices_transposed(unsigned (&r)[4], const void* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(shared_address(row)));
}
__device__ void mma(float (&d)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

__shared__ __nv_bfloat16 as[2][BM][BK + PAD], bs[2][BK][BN + PAD];

// Two times 16 bytes of each tile for a thread.
__device__ void load_tiles(const __nv_bfloat16* a, const __nv_bfloat16* b, int n, int k, int first, int stage) {
  for (int i = threadIdx.x; i < BM * BK / 8; i += 256) {
    const int row = i / (BK / 8), column = i % (BK / 8) * 8;
    copy_async(&as[stage][row][column], &a[(blockIdx.y * BM + row) * k + first + column]);
  }
  for (int i = threadIdx.x; i < BK * BN / 8; i += 256) {
    const int row = i / (BN / 8), column = i % (BN / 8) * 8;
    copy_async(&bs[stage][row][column], &b[(first + row) * n + blockIdx.x * BN + column]);
  }
  asm volatile("cp.async.commit_group;" ::: "memory");
}

extern "C" __global__ void mma_bf16(const __nv_bfloat16* a, const __nv_bfloat16* b, float* c, int m, int n, int k) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int row = warp / 4 * 64, column = warp % 4 * 32;
  float sum[4][4][4] = {};  // (16-row tile, 8-column tile, of the fragment)
  load_tiles(a, b, n, k, 0, 0);
  for (int first = 0, stage = 0; first < k; first += BK, stage ^= 1) {
    if (first + BK < k) {
      load_tiles(a, b, n, k, first + BK, stage ^ 1);
      asm volatile("cp.async.wait_group 1;" ::: "memory");
    } else {
      asm volatile("cp.async.wait_group 0;" ::: "memory");
    }
    __syncthreads();
#pragma unroll
    for (int depth = 0; depth < BK; depth += 16) {
      unsigned fa[4][4], fb[2][4];
#pragma unroll
      for (int i = 0; i < 4; i++) load_matrices(fa[i], &as[stage][row + 16 * i + lane % 16][depth + lane / 16 * 8]);
#pragma unroll
      for (int j = 0; j < 2; j++)
        load_matrices_transposed(fb[j], &bs[stage][depth + lane % 16][column + 16 * j + lane / 16 * 8]);
#pragma unroll
      for (int i = 0; i < 4; i++)
#pragma unroll
        for (int j = 0; j < 4; j++) mma(sum[i][j], fa[i], fb[j / 2][j % 2 * 2], fb[j / 2][j % 2 * 2 + 1]);
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < 4; i++) {
#pragma unroll
    for (int j = 0; j < 4; j++) {
      float* to = &c[(blockIdx.y * BM + row + 16 * i + lane / 4) * n + blockIdx.x * BN + column + 8 * j + lane % 4 * 2];
      *reinterpret_cast<float2*>(to) = make_float2(sum[i][j][0], sum[i][j][1]);
      *reinterpret_cast<float2*>(to + 8 * n) = make_float2(sum[i][j][2], sum[i][j][3]);
    }
  }
}
