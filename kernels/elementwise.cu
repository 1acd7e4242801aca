// Element-wise operators on two vectors: out[i] = OP(a[i], b[i]) for i < n.
// Five rungs compute the same thing; each adds one trick to the one before it.
//
// BLOCK  threads per CTA              TILES  tiles that one CTA handles
// VEC    elements per vector load     OP     the operator: Add or Multiply
#include "elements.cuh"

struct Add {
  __device__ float operator()(float x, float y) const { return x + y; }
};
struct Multiply {
  __device__ float operator()(float x, float y) const { return x * y; }
};

// One thread, one element. n is rarely a multiple of BLOCK, so the last CTA has threads to spare: the mask stops them.
extern "C" __global__ void thread_per_element(const float* a, const float* b, float* out, int n) {
  int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < n) {
    float x = a[i];
    float y = b[i];
    out[i] = OP()(x, y);
  }
}

// A CTA owns a tile of BLOCK elements. Only the last tile can be cut short, so only there is each element tested.
extern "C" __global__ void tile_per_cta(const float* a, const float* b, float* out, int n) {
  int first = blockIdx.x * BLOCK;
  int i = first + threadIdx.x;
  bool whole = first + BLOCK <= n;  // the same answer for every thread of the CTA
  if (whole || i < n) {
    float x = a[i];
    float y = b[i];
    out[i] = OP()(x, y);
  }
}

// A CTA loops over TILES neighbouring tiles: a TILES-th of the CTAs to launch.
extern "C" __global__ void tiles_per_cta(const float* a, const float* b, float* out, int n) {
  int first = blockIdx.x * TILES * BLOCK;
  for (int tile = 0; tile < TILES; ++tile) {
    int i = first + tile * BLOCK + threadIdx.x;
    if (i < n) {
      float x = a[i];
      float y = b[i];
      out[i] = OP()(x, y);
    }
  }
}

// The whole grid moves along the vector: a CTA's tiles are one grid apart, and the loop fits any n and any grid.
extern "C" __global__ void grid_stride(const float* a, const float* b, float* out, int n) {
  for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += gridDim.x * BLOCK) {
    float x = a[i];
    float y = b[i];
    out[i] = OP()(x, y);
  }
}

// A thread moves a Pack with each instruction: VEC neighbouring elements, 16 bytes at VEC 4. The thread that finds less
// than a whole Pack left takes what is there, one element at a time.
extern "C" __global__ void vector_loads(const float* a, const float* b, float* out, int n) {
  int i = (blockIdx.x * BLOCK + threadIdx.x) * VEC;
  if (i + VEC <= n) {
    Pack x = load_pack(a + i);
    Pack y = load_pack(b + i);
    Pack result;
    for (int k = 0; k < VEC; ++k) result.value[k] = OP()(x.value[k], y.value[k]);
    store_pack(out + i, result);
  } else {
    for (; i < n; ++i) out[i] = OP()(a[i], b[i]);
  }
}
