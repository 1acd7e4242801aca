// out[i] = sin(a[i]) + cos(b[i]) for i < n.
// First as three operators, each a kernel of its own; then as one; then with vector loads.
//
// BLOCK  threads per CTA              VEC  floats of one access: 16 bytes at VEC 4
#ifndef DTYPE
#define DTYPE 0
#endif
#include "elements.cuh"

extern "C" __global__ void sine(const float* a, float* out, int n) {
  int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < n || DROP_MASK) out[i] = sinf(a[i]);
}
extern "C" __global__ void cosine(const float* b, float* out, int n) {
  int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < n || DROP_MASK) out[i] = cosf(b[i]);
}
extern "C" __global__ void add(const float* s, const float* c, float* out, int n) {
  int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < n || DROP_MASK) out[i] = s[i] + c[i];
}

extern "C" __global__ void fused(const float* a, const float* b, float* out, int n) {
  int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < n || DROP_MASK) out[i] = sinf(a[i]) + cosf(b[i]);
}

extern "C" __global__ void vector_loads(const float* a, const float* b, float* out, int n) {
  int i = (blockIdx.x * BLOCK + threadIdx.x) * VEC;
  if (i + VEC <= n || DROP_MASK) {
    Pack x = load_pack(a + i), y = load_pack(b + i);
    for (int k = 0; k < VEC; ++k) x.value[k] = sinf(x.value[k]) + cosf(y.value[k]);
    store_pack(out + i, x);
  } else {
    for (; i < n; ++i) out[i] = sinf(a[i]) + cosf(b[i]);
  }
}
