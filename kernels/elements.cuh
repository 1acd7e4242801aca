// The type of the elements, and the packs in which they travel.
//
// DTYPE  0: float, 1: bfloat16         VEC  elements of one memory access: 16 bytes are the widest there is
#pragma once

#if DTYPE == 1
#include <cuda_bf16.h>
using Element = __nv_bfloat16;
__device__ inline float to_float(Element x) { return __bfloat162float(x); }
__device__ inline Element from_float(float x) { return __float2bfloat16_rn(x); }
#else
using Element = float;
__device__ inline float to_float(Element x) { return x; }
__device__ inline Element from_float(float x) { return x; }
#endif

/// VEC neighbouring elements that one instruction loads or stores. Their address is a multiple of their size.
struct alignas(VEC * sizeof(Element) < 16 ? VEC * sizeof(Element) : 16) Pack {
  Element value[VEC];
};
__device__ inline Pack load_pack(const Element* at) { return *reinterpret_cast<const Pack*>(at); }
__device__ inline void store_pack(Element* at, Pack pack) { *reinterpret_cast<Pack*>(at) = pack; }
