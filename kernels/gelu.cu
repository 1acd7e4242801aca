// GELU by its tanh formula: out = ½ x (1 + tanh(√(2/π) (x + 0.044715 x³))).
// First as eight operators, each a kernel of its own that hands a whole vector on through memory; then as one.
//
// BLOCK  threads per CTA      VEC  elements of one access      DTYPE  0: float, 1: bfloat16
// FAST   0: tanh.approx, 1: ex2.approx              PACKS  packs that a thread computes side by side
#include "common.cuh"
#include "elements.cuh"

constexpr float CUBIC = 0.044715f;
constexpr float ROOT = 0.7978845608f;  // √(2/π)

// Eight kernels: what 0.5 * x * (1 + tanh(ROOT * (x + CUBIC * x ** 3))) becomes when every operator runs by itself.
// Each writes a whole vector to global memory, and the next one reads it.
extern "C" __global__ void cube(const Element* x, Element* t, int n) {
  int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < n) t[i] = from_float(to_float(x[i]) * to_float(x[i]) * to_float(x[i]));
}
extern "C" __global__ void scale(float factor, const Element* a, Element* out, int n) {
  int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < n) out[i] = from_float(factor * to_float(a[i]));
}
extern "C" __global__ void add(const Element* x, Element* t, int n) {
  int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < n) t[i] = from_float(to_float(x[i]) + to_float(t[i]));
}
extern "C" __global__ void tangent(Element* t, int n) {
  int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < n) t[i] = from_float(tanhf(to_float(t[i])));
}
extern "C" __global__ void add_one(Element* t, int n) {
  int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < n) t[i] = from_float(1 + to_float(t[i]));
}
extern "C" __global__ void multiply(const Element* x, Element* t, int n) {
  int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < n) t[i] = from_float(to_float(x[i]) * to_float(t[i]));
}

// One kernel: what two operators passed through memory stays in a register, as a float.
__device__ float inner(float x) { return ROOT * (x + CUBIC * x * x * x); }
__device__ float gelu(float x) { return 0.5f * x * (1 + tanhf(inner(x))); }

extern "C" __global__ void fused(const Element* x, Element* out, int n) {
  int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < n) out[i] = from_float(gelu(to_float(x[i])));
}

// A thread moves VEC elements with each instruction. The thread that finds less than a whole Pack left takes what is
// there, one element at a time.
extern "C" __global__ void vector_loads(const Element* x, Element* out, int n) {
  int i = (blockIdx.x * BLOCK + threadIdx.x) * VEC;
  if (i + VEC <= n) {
    Pack pack = load_pack(x + i);
    for (int k = 0; k < VEC; ++k) pack.value[k] = from_float(gelu(to_float(pack.value[k])));
    store_pack(out + i, pack);
  } else {
    for (; i < n; ++i) out[i] = from_float(gelu(to_float(x[i])));
  }
}

// The special function unit has a tanh of its own, and a power of two. Both are approximations: one instruction each,
// where tanhf has some twenty. With e^(−2u) = 2^(−2u log2(e)), ½ (1 + tanh u) = 1 / (1 + e^(−2u)).
__device__ float fast_gelu(float x) {
  float u = inner(x);
  if (FAST == 0) return 0.5f * x * (1 + tanh_approx(u));
  return __fdividef(x, 1 + ex2_approx(-2.885390082f * u));
}

extern "C" __global__ void fast_math(const Element* x, Element* out, int n) {
  int i = (blockIdx.x * BLOCK + threadIdx.x) * VEC;
  if (i + VEC <= n) {
    Pack pack = load_pack(x + i);
    for (int k = 0; k < VEC; ++k) pack.value[k] = from_float(fast_gelu(to_float(pack.value[k])));
    store_pack(out + i, pack);
  } else {
    for (; i < n; ++i) out[i] = from_float(fast_gelu(to_float(x[i])));
  }
}

// PACKS independent chains in one thread: all loads are in flight before the first result is needed, and while one
// chain waits for the special function unit, a different one computes.
extern "C" __global__ void several_packs(const Element* x, Element* out, int n) {
  int first = (blockIdx.x * BLOCK * PACKS + threadIdx.x) * VEC;
  int last = first + (PACKS - 1) * BLOCK * VEC;  // where the thread's last pack begins
  if (last + VEC <= n) {
    Pack pack[PACKS];
    for (int p = 0; p < PACKS; ++p) pack[p] = load_pack(x + first + p * BLOCK * VEC);
    for (int p = 0; p < PACKS; ++p)
      for (int k = 0; k < VEC; ++k) pack[p].value[k] = from_float(fast_gelu(to_float(pack[p].value[k])));
    for (int p = 0; p < PACKS; ++p) store_pack(out + first + p * BLOCK * VEC, pack[p]);
  } else {
    for (int i = first; i <= last; i += BLOCK * VEC)
      for (int k = 0; k < VEC && i + k < n; ++k) out[i + k] = from_float(fast_gelu(to_float(x[i + k])));
  }
}
