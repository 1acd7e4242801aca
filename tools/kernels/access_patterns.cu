// One warp, one access of each lane at an offset that the host chooses: for tools/record_counters.cpp, which counts what
// such an access costs. Each kernel also reads the 32 offsets and writes what it has read, so that nothing is dropped.
#include <cuda_pipeline.h>

#define PATTERN_KERNEL(name) \
  extern "C" __global__ void name(const unsigned* offsets, unsigned mask, char* data, unsigned* out)
#define TAKES_PART (mask >> threadIdx.x & 1)

__device__ unsigned sum_of(unsigned value) { return value; }
__device__ unsigned sum_of(uint2 value) { return value.x + value.y; }
__device__ unsigned sum_of(uint4 value) { return value.x + value.y + value.z + value.w; }
template <class T>
__device__ T filled_with(unsigned value);
template <>
__device__ unsigned char filled_with<unsigned char>(unsigned value) {
  return value;
}
template <>
__device__ unsigned short filled_with<unsigned short>(unsigned value) {
  return value;
}
template <>
__device__ unsigned filled_with<unsigned>(unsigned value) {
  return value;
}
template <>
__device__ uint2 filled_with<uint2>(unsigned value) {
  return {value, value};
}
template <>
__device__ uint4 filled_with<uint4>(unsigned value) {
  return {value, value, value, value};
}

#define GLOBAL_LOAD(name, Type)                                                          \
  PATTERN_KERNEL(name) {                                                                 \
    const unsigned offset = offsets[threadIdx.x];                                        \
    if (TAKES_PART) out[threadIdx.x] = sum_of(*reinterpret_cast<Type*>(data + offset)); \
  }
GLOBAL_LOAD(global_load_8, unsigned char)
GLOBAL_LOAD(global_load_32, unsigned)
GLOBAL_LOAD(global_load_64, uint2)
GLOBAL_LOAD(global_load_128, uint4)

#define GLOBAL_STORE(name, Type)                                                                  \
  PATTERN_KERNEL(name) {                                                                          \
    const unsigned offset = offsets[threadIdx.x];                                                 \
    if (TAKES_PART) *reinterpret_cast<Type*>(data + offset) = filled_with<Type>(threadIdx.x);    \
  }
GLOBAL_STORE(global_store_16, unsigned short)
GLOBAL_STORE(global_store_32, unsigned)
GLOBAL_STORE(global_store_64, uint2)
GLOBAL_STORE(global_store_128, uint4)

#define TILE __shared__ __align__(128) char tile[1 << 15]
#define SHARED_LOAD(name, Type)                                                          \
  PATTERN_KERNEL(name) {                                                                 \
    TILE;                                                                                \
    const unsigned offset = offsets[threadIdx.x];                                        \
    tile[4 * threadIdx.x] = threadIdx.x;                                                 \
    __syncwarp();                                                                        \
    if (TAKES_PART) out[threadIdx.x] = sum_of(*reinterpret_cast<Type*>(tile + offset)); \
  }
SHARED_LOAD(shared_load_8, unsigned char)
SHARED_LOAD(shared_load_32, unsigned)
SHARED_LOAD(shared_load_64, uint2)
SHARED_LOAD(shared_load_128, uint4)

#define SHARED_STORE(name, Type)                                                               \
  PATTERN_KERNEL(name) {                                                                       \
    TILE;                                                                                      \
    const unsigned offset = offsets[threadIdx.x];                                              \
    if (TAKES_PART) *reinterpret_cast<Type*>(tile + offset) = filled_with<Type>(threadIdx.x); \
    __syncwarp();                                                                              \
    out[threadIdx.x] = tile[4 * threadIdx.x];                                                  \
  }
SHARED_STORE(shared_store_16, unsigned short)
SHARED_STORE(shared_store_32, unsigned)
SHARED_STORE(shared_store_64, uint2)
SHARED_STORE(shared_store_128, uint4)

// All lanes take part in ldmatrix; the mask has no meaning.
#define ROW_ADDRESS static_cast<unsigned>(__cvta_generic_to_shared(tile + offsets[threadIdx.x]))
PATTERN_KERNEL(load_matrix_1) {
  TILE;
  tile[4 * threadIdx.x] = threadIdx.x;
  __syncwarp();
  unsigned a;
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(a) : "r"(ROW_ADDRESS) : "memory");
  out[threadIdx.x] = a;
}
PATTERN_KERNEL(load_matrix_2) {
  TILE;
  tile[4 * threadIdx.x] = threadIdx.x;
  __syncwarp();
  unsigned a, b;
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"
               : "=r"(a), "=r"(b)
               : "r"(ROW_ADDRESS)
               : "memory");
  out[threadIdx.x] = a + b;
}
#define LOAD_MATRIX_4(name, transposed)                                                                \
  PATTERN_KERNEL(name) {                                                                               \
    TILE;                                                                                              \
    tile[4 * threadIdx.x] = threadIdx.x;                                                               \
    __syncwarp();                                                                                      \
    unsigned a, b, c, d;                                                                               \
    asm volatile("ldmatrix.sync.aligned.m8n8.x4" transposed ".shared.b16 {%0, %1, %2, %3}, [%4];"      \
                 : "=r"(a), "=r"(b), "=r"(c), "=r"(d)                                                  \
                 : "r"(ROW_ADDRESS)                                                                    \
                 : "memory");                                                                          \
    out[threadIdx.x] = a + b + c + d;                                                                  \
  }
LOAD_MATRIX_4(load_matrix_4, "")
LOAD_MATRIX_4(load_matrix_4_transposed, ".trans")

// From consecutive global addresses to the chosen places in shared memory.
#define COPY_ASYNC(name, bytes, through)                                                                     \
  PATTERN_KERNEL(name) {                                                                                     \
    TILE;                                                                                                    \
    const unsigned to = ROW_ADDRESS;                                                                         \
    if (TAKES_PART)                                                                                          \
      asm volatile("cp.async." through ".shared.global [%0], [%1], " #bytes ";" ::"r"(to),                   \
                   "l"(data + threadIdx.x * bytes)                                                           \
                   : "memory");                                                                              \
    __pipeline_commit();                                                                                     \
    __pipeline_wait_prior(0);                                                                                \
    __syncwarp();                                                                                            \
    if (TAKES_PART) out[threadIdx.x] = *reinterpret_cast<unsigned*>(tile + offsets[threadIdx.x]);            \
  }
COPY_ASYNC(copy_async_4, 4, "ca")
COPY_ASYNC(copy_async_8, 8, "ca")
COPY_ASYNC(copy_async_16, 16, "ca")
COPY_ASYNC(copy_async_16_bypass, 16, "cg")
