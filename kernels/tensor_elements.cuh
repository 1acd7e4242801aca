// The types that the tensor cores multiply, and the multiplication itself. Sums are floats in all of them.
//
// DTYPE  0: half, 1: bfloat16, 2: TF32, which are floats of which the tensor cores use 10 bits after the point
#pragma once
#if DTYPE == 0
#include <cuda_fp16.h>
#elif DTYPE == 1
#include <cuda_bf16.h>
#endif

#include "common.cuh"

#if DTYPE == 0
using Element = half;
using Pair = half2;
__device__ inline float2 to_floats(Pair x) { return __half22float2(x); }
__device__ inline Element from_float(float x) { return __float2half_rn(x); }
__device__ inline float to_float(Element x) { return __half2float(x); }
__device__ inline Pair from_floats(float x, float y) { return __floats2half2_rn(x, y); }
#elif DTYPE == 1
using Element = __nv_bfloat16;
using Pair = __nv_bfloat162;
__device__ inline float2 to_floats(Pair x) { return __bfloat1622float2(x); }
__device__ inline Element from_float(float x) { return __float2bfloat16_rn(x); }
__device__ inline float to_float(Element x) { return __bfloat162float(x); }
__device__ inline Pair from_floats(float x, float y) { return __floats2bfloat162_rn(x, y); }
#else
using Element = float;
using Pair = float2;
__device__ inline float2 to_floats(Pair x) { return x; }
__device__ inline Element from_float(float x) { return x; }
__device__ inline float to_float(Element x) { return x; }
__device__ inline Pair from_floats(float x, float y) { return make_float2(x, y); }
#endif

constexpr unsigned CHUNK = 16 / sizeof(Element);  // elements of 16 bytes: the widest access, and a row for ldmatrix
constexpr unsigned MMA_K = 2 * CHUNK;             // depth of one mma: 16, of TF32 8

/// d += a · b for 16 × MMA_K elements a, MMA_K × 8 elements b and 16 × 8 floats d, spread over the lanes of a warp.
/// Lane 4 g + t has of d the columns 2 t and 2 t + 1 of row g, then of row g + 8 [mma].
__device__ inline void multiply_add(float (&d)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
#if DTYPE == 0
  mma_m16n8k16(d, a, b0, b1);
#elif DTYPE == 1
  asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
#else
  asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
#endif
}

/// A register of a fragment as the tensor cores want it. They only look at the upper 19 bits of a float and would cut
/// the rest off; this rounds instead, ties away from zero [cvt.rna.tf32].
__device__ inline unsigned as_operand(unsigned bits) {
#if DTYPE == 2
  unsigned rounded;
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(rounded) : "f"(__uint_as_float(bits)));
  return rounded;
#else
  return bits;
#endif
}

/// 16 bytes to shared memory [st.shared].
__device__ inline void store_chunk(unsigned to, uint4 chunk) {
  asm volatile("st.shared.v4.b32 [%0], {%1, %2, %3, %4};" ::"r"(to), "r"(chunk.x), "r"(chunk.y), "r"(chunk.z),
               "r"(chunk.w)
               : "memory");
}
