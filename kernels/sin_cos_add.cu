// out[i] = sin(a[i]) + cos(b[i]) for i < n.
// First as three operators, each a kernel of its own; then as one; then with vector loads.
//
// BLOCK  threads per CTA              VEC  floats of one access: 16 bytes at VEC 4
#include "elements.cuh"

// Three kernels: what `sin(a) + cos(b)` becomes when every operator runs by itself. sin(a) and cos(b) go to memory as
// whole vectors and come back for the addition: seven accesses for each element.
extern "C" __global__ void sine(const float* a, float* s, int n) {
  int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < n) s[i] = sinf(a[i]);
}
extern "C" __global__ void cosine(const float* b, float* c, int n) {
  int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < n) c[i] = cosf(b[i]);
}
extern "C" __global__ void add(const float* s, const float* c, float* out, int n) {
  int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < n) out[i] = s[i] + c[i];
}

// One kernel: sin(a) and cos(b) stay in registers. Three accesses are left, and one launch.
extern "C" __global__ void fused(const float* a, const float* b, float* out, int n) {
  int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < n) {
    float s = sinf(a[i]);
    float c = cosf(b[i]);
    out[i] = s + c;
  }
}

// A thread moves a Pack with each instruction: VEC neighbouring elements. The thread that finds less than a whole Pack
// left takes what is there, one element at a time.
extern "C" __global__ void vector_loads(const float* a, const float* b, float* out, int n) {
  int i = (blockIdx.x * BLOCK + threadIdx.x) * VEC;
  if (i + VEC <= n) {
    Pack x = load_pack(a + i);
    Pack y = load_pack(b + i);
    Pack result;
    for (int k = 0; k < VEC; ++k) result.value[k] = sinf(x.value[k]) + cosf(y.value[k]);
    store_pack(out + i, result);
  } else {
    for (; i < n; ++i) out[i] = sinf(a[i]) + cosf(b[i]);
  }
}
