// The type of the elements, conversions between it and float, packs of elements, and their product on the tensor cores.
//
// DTYPE  0 or absent: float, 1: bfloat16. A file that defines TENSOR_CORES multiplies with mma, and there it is
//        0: half,  1: bfloat16, 2: TF32: floats in memory, of which the tensor cores use 11 significant bits
// VEC    elements of one memory access. 16 bytes are the widest there is, and what a file gets without this constant.
#pragma once
#include "common.cuh"

#if defined(TENSOR_CORES) && DTYPE == 0
#include <cuda_fp16.h>
using Element = half;
using Pair = half2;  // two neighbouring elements
__device__ inline float to_float(Element x) { return __half2float(x); }
__device__ inline Element from_float(float x) { return __float2half_rn(x); }
__device__ inline float2 to_floats(Pair x) { return __half22float2(x); }
__device__ inline Pair from_floats(float x, float y) { return __floats2half2_rn(x, y); }
#elif DTYPE == 1
#include <cuda_bf16.h>
using Element = __nv_bfloat16;
using Pair = __nv_bfloat162;
__device__ inline float to_float(Element x) { return __bfloat162float(x); }
__device__ inline Element from_float(float x) { return __float2bfloat16_rn(x); }
__device__ inline float2 to_floats(Pair x) { return __bfloat1622float2(x); }
__device__ inline Pair from_floats(float x, float y) { return __floats2bfloat162_rn(x, y); }
#else
using Element = float;
using Pair = float2;
__device__ inline float to_float(Element x) { return x; }
__device__ inline Element from_float(float x) { return x; }
__device__ inline float2 to_floats(Pair x) { return x; }
__device__ inline Pair from_floats(float x, float y) { return make_float2(x, y); }
#endif

#ifndef VEC
#define VEC (16 / sizeof(Element))
#endif

/// VEC neighbouring elements that one instruction loads or stores. Their address is a multiple of their size.
struct alignas(VEC * sizeof(Element) < 16 ? VEC * sizeof(Element) : 16) Pack {
  Element value[VEC];
};
__device__ inline Pack load_pack(const Element* at) { return *reinterpret_cast<const Pack*>(at); }
__device__ inline void store_pack(Element* at, Pack pack) { *reinterpret_cast<Pack*>(at) = pack; }

/// Less than every number. Its exp is 0, so it adds nothing to a sum of exponentials.
__device__ inline float negative_infinity() { return __int_as_float(0xff800000); }

#ifdef TENSOR_CORES
constexpr unsigned CHUNK = 16 / sizeof(Element);  // elements of 16 bytes: one row of a matrix that ldmatrix reads
constexpr unsigned MMA_K = 2 * CHUNK;             // extent of one mma along K: 16, in TF32 8

/// d += a · b on the tensor cores: a is 16 × MMA_K elements, b MMA_K × 8, d 16 × 8 floats, all spread over the 32 lanes
/// of a warp. Lane 4 g + t holds columns 2 t and 2 t + 1 of d in row g, then in row g + 8 [mma].
__device__ inline void mma_elements(float (&d)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
#if DTYPE == 0
  mma_m16n8k16(d, a, b0, b1);
#elif DTYPE == 1
  mma_m16n8k16_bf16(d, a, b0, b1);
#else
  mma_m16n8k8_tf32(d, a, b0, b1);
#endif
}

/// One register of a fragment, ready for mma_elements. The tensor cores ignore the lower 13 bits of a float, which
/// would round it towards zero: TF32 is rounded to nearest here.
__device__ inline unsigned round_operand(unsigned bits) {
  return DTYPE == 2 ? cvt_rna_tf32(__uint_as_float(bits)) : bits;
}
#endif
