// Synchronization idioms, each with a twin that lacks one fence, barrier or ordering: IDIOM(name) defines the kernels
// `name` and `name_broken` from one body, in which kRight distinguishes them.
#pragma once

#define IDIOM(name)                                                                                                \
  template <bool kRight>                                                                                           \
  __device__ void body_of_##name(int* flags, float* data, float* out);                                             \
  extern "C" __global__ void name(int* flags, float* data, float* out) { body_of_##name<true>(flags, data, out); } \
  extern "C" __global__ void name##_broken(int* flags, float* data, float* out) {                                  \
    body_of_##name<false>(flags, data, out);                                                                       \
  }                                                                                                                \
  template <bool kRight>                                                                                           \
  __device__ void body_of_##name(int* flags, float* data, float* out)

#define LOAD(name, order)                                                            \
  __device__ inline int load_##name(const int* from) {                               \
    int value;                                                                       \
    asm volatile("ld." order ".b32 %0, [%1];" : "=r"(value) : "l"(from) : "memory"); \
    return value;                                                                    \
  }
#define STORE(name, order)                                                       \
  __device__ inline void store_##name(int* to, int value) {                      \
    asm volatile("st." order ".b32 [%0], %1;" ::"l"(to), "r"(value) : "memory"); \
  }
#define ADD(name, order)                                                              \
  __device__ inline void add_##name(int* to, int value) {                             \
    asm volatile("red." order ".add.s32 [%0], %1;" ::"l"(to), "r"(value) : "memory"); \
  }
LOAD(acquire, "acquire.gpu.global")
LOAD(relaxed, "relaxed.gpu.global")
STORE(release, "release.gpu.global")
STORE(release_block, "release.cta.global")
STORE(relaxed, "relaxed.gpu.global")
ADD(release, "release.gpu.global")
ADD(relaxed, "relaxed.gpu.global")

__device__ inline int read_volatile(const int* from) { return *(const volatile int*)from; }
__device__ inline void write_volatile(int* to, int value) { *(volatile int*)to = value; }
__device__ inline void fence_gpu() { asm volatile("fence.acq_rel.gpu;" ::: "memory"); }
__device__ inline bool is_leader() { return threadIdx.x == 0; }
