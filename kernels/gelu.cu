// GELU by its tanh formula: out = ½ x (1 + tanh(√(2/π) (x + 0.044715 x³))).
// First as eight operators, each a kernel of its own that hands a whole vector on through memory; then as one.
//
// BLOCK  threads per CTA      VEC  elements of one access      DTYPE  0: float, 1: bfloat16
// FAST   0: tanh.approx, 1: ex2.approx and rcp.approx          PACKS  packs that a thread computes
#include "elements.cuh"

constexpr float CUBIC = 0.044715f;
constexpr float ROOT = 0.7978845608f;  // √(2/π)

// Eight kernels: what `0.5 * x * (1 + tanh(ROOT * (x + CUBIC * x ** 3)))` becomes when every operator runs by itself.
// Between two of them lies a vector in global memory: written by one, read by the next.
template <class Operation>
__device__ void for_each(Operation operation, Element* out, int n) {
  int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < n || DROP_MASK) out[i] = from_float(operation(i));
}

extern "C" __global__ void cube(const Element* x, Element* out, int n) {
  for_each(
      [=](int i) {
        float v = to_float(x[i]);
        return v * v * v;
      },
      out, n);
}
extern "C" __global__ void scale(float factor, const Element* a, Element* out, int n) {
  for_each([=](int i) { return factor * to_float(a[i]); }, out, n);
}
extern "C" __global__ void add(const Element* a, const Element* b, Element* out, int n) {
  for_each([=](int i) { return to_float(a[i]) + to_float(b[i]); }, out, n);
}
extern "C" __global__ void tangent(const Element* a, Element* out, int n) {
  for_each([=](int i) { return tanhf(to_float(a[i])); }, out, n);
}
extern "C" __global__ void add_one(const Element* a, Element* out, int n) {
  for_each([=](int i) { return 1 + to_float(a[i]); }, out, n);
}
extern "C" __global__ void multiply(const Element* a, const Element* b, Element* out, int n) {
  for_each([=](int i) { return to_float(a[i]) * to_float(b[i]); }, out, n);
}

__device__ float inner(float x) { return ROOT * (x + CUBIC * x * x * x); }
__device__ float gelu(float x) { return 0.5f * x * (1 + tanhf(inner(x))); }

// One kernel: what lay in memory between two operators lies in a register.
extern "C" __global__ void fused(const Element* x, Element* out, int n) {
  int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < n || DROP_MASK) out[i] = from_float(gelu(to_float(x[i])));
}

// The thread that finds less than a whole pack left takes what is there, one element at a time.
extern "C" __global__ void vector_loads(const Element* x, Element* out, int n) {
  int i = (blockIdx.x * BLOCK + threadIdx.x) * VEC;
  if (i + VEC <= n || DROP_MASK) {
    Pack pack = load_pack(x + i);
    for (int k = 0; k < VEC; ++k) pack.value[k] = from_float(gelu(to_float(pack.value[k])));
    store_pack(out + i, pack);
  } else if (!NO_TAIL) {
    for (; i < n; ++i) out[i] = from_float(gelu(to_float(x[i])));
  }
}

__device__ float tanh_approx(float x) {
  float y;
  asm("tanh.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
__device__ float exp2_approx(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
// ½ (1 + tanh u) = 1 / (1 + e^(−2u)), and e^(−2u) = 2^(−2u · log2 e): one ex2 and one reciprocal.
__device__ float fast_gelu(float x) {
  if (FAST == 0) return 0.5f * x * (1 + tanh_approx(inner(x)));
  return __fdividef(x, 1 + exp2_approx(-2.885390082f * inner(x)));
}

extern "C" __global__ void fast_math(const Element* x, Element* out, int n) {
  int i = (blockIdx.x * BLOCK + threadIdx.x) * VEC;
  if (i + VEC <= n || DROP_MASK) {
    Pack pack = load_pack(x + i);
    for (int k = 0; k < VEC; ++k) pack.value[k] = from_float(fast_gelu(to_float(pack.value[k])));
    store_pack(out + i, pack);
  } else if (!NO_TAIL) {
    for (; i < n; ++i) out[i] = from_float(fast_gelu(to_float(x[i])));
  }
}

extern "C" __global__ void __launch_bounds__(BLOCK) several_packs(const Element* x, Element* out, int n) {
  int first = (blockIdx.x * BLOCK * PACKS + threadIdx.x) * VEC;
  int last = first + (PACKS - 1) * BLOCK * VEC;  // where the thread's last pack begins
  if (last + VEC <= n || DROP_MASK) {
    Pack pack[PACKS];
    for (int p = 0; p < PACKS; ++p) pack[p] = load_pack(x + first + p * BLOCK * VEC);
    for (int p = 0; p < PACKS; ++p) {
      for (int k = 0; k < VEC; ++k) pack[p].value[k] = from_float(fast_gelu(to_float(pack[p].value[k])));
      store_pack(out + first + p * BLOCK * VEC, pack[p]);
    }
  } else if (!NO_TAIL) {
    for (int i = first; i <= last; i += BLOCK * VEC)
      for (int k = 0; k < VEC && i + k < n; ++k) out[i + k] = from_float(fast_gelu(to_float(x[i + k])));
  }
}
