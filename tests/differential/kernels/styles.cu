// The ways in which people write CUDA: classes, lambdas, unions, inline PTX, packed types, vector intrinsics.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>

template <typename T, int N>
struct Vec {
  T v[N];
  __device__ Vec operator+(const Vec& o) const {
    Vec r;
    for (int i = 0; i < N; ++i) r.v[i] = v[i] + o.v[i];
    return r;
  }
  __device__ T dot(const Vec& o) const {
    T sum = 0;
    for (int i = 0; i < N; ++i) sum += v[i] * o.v[i];
    return sum;
  }
};

extern "C" __global__ void vector_templates(const Vec<int, 3>* a, const Vec<int, 3>* b, Vec<int, 3>* sum, int* dots,
                                            int n) {
  for (int i = threadIdx.x + blockDim.x * blockIdx.x; i < n; i += blockDim.x * gridDim.x) {
    sum[i] = a[i] + b[i];
    dots[i] = a[i].dot(b[i]);
  }
}

struct Parameters {
  int n;
  float scale;
  short shift;
  char flags;
  float taps[3];
};

extern "C" __global__ void struct_argument(Parameters p, const float* in, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= p.n) return;
  int from = i + p.shift;
  bool wrap = p.flags & 1;
  if (from >= p.n) from = wrap ? from - p.n : p.n - 1;
  if (from < 0) from = wrap ? from + p.n : 0;
  out[i] = in[from] * p.scale + p.taps[i % 3];
}

class Shape {
 public:
  __device__ virtual float area() const { return 0; }
  __device__ virtual ~Shape() {}
};
class Square : public Shape {
 public:
  __device__ explicit Square(float s) : side(s) {}
  __device__ float area() const override { return side * side; }
  float side;
};
class Rectangle : public Shape {
 public:
  __device__ Rectangle(float a, float b) : w(a), h(b) {}
  __device__ float area() const override { return w * h; }
  float w, h;
};

// Virtual calls on objects of the thread's own.
extern "C" __global__ void virtual_areas(const float2* sizes, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  Square square(sizes[i].x);
  Rectangle rectangle(sizes[i].x, sizes[i].y);
  const Shape* shapes[2] = {&square, &rectangle};
  const Shape* chosen = shapes[i % 2];
  out[i] = chosen->area();
}

typedef int (*Operation)(int, int);
__device__ __noinline__ int op_add(int a, int b) { return a + b; }
__device__ __noinline__ int op_mul(int a, int b) { return a * b; }
__device__ __noinline__ int op_max(int a, int b) { return a > b ? a : b; }
__device__ Operation kOperations[3] = {op_add, op_mul, op_max};

extern "C" __global__ void function_table(const int* a, const int* b, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = kOperations[i % 3](a[i], b[i]);
}

__device__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
extern "C" __global__ void recursive_fibonacci(const int* in, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = fibonacci(in[i]);
}

// Recursion with memory: permutations of a short string, counted by a property.
__device__ void permute(char* s, int k, int n, int* count) {
  if (k == n) {
    int sum = 0;
    for (int i = 0; i < n; ++i) sum += (i + 1) * s[i];
    if (sum % 7 == 0) ++*count;
    return;
  }
  for (int i = k; i < n; ++i) {
    char t = s[k]; s[k] = s[i]; s[i] = t;
    permute(s, k + 1, n, count);
    t = s[k]; s[k] = s[i]; s[i] = t;
  }
}
extern "C" __global__ void recursive_permutations(const char* words, int length, int n, int* counts) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  char s[8];
  for (int k = 0; k < length; ++k) s[k] = words[i * length + k];
  int count = 0;
  permute(s, 0, length, &count);
  counts[i] = count;
}

union Bits {
  float f;
  unsigned u;
  struct {
    unsigned mantissa : 23;
    unsigned exponent : 8;
    unsigned sign : 1;
  } part;
  unsigned char bytes[4];
};

extern "C" __global__ void union_bits(const float* in, unsigned* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  Bits b;
  b.f = in[i];
  unsigned exponent = b.part.exponent;
  b.part.sign ^= 1;
  b.part.exponent = exponent > 2 ? exponent - 1 : exponent;
  unsigned char t = b.bytes[0];
  b.bytes[0] = b.bytes[1];
  b.bytes[1] = t;
  out[i] = b.u;
}

__device__ unsigned lane_mask_lt() {
  unsigned mask;
  asm("mov.u32 %0, %%lanemask_lt;" : "=r"(mask));
  return mask;
}
__device__ unsigned bit_field(unsigned v, unsigned at, unsigned length) {
  unsigned r;
  asm("bfe.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(v), "r"(at), "r"(length));
  return r;
}
extern "C" __global__ void inline_ptx(const unsigned* in, unsigned* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned v = in[i], lane, r, s;
  asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
  asm("{\n\t.reg .pred p;\n\t.reg .u32 t;\n\tsetp.gt.u32 p, %1, %2;\n\tsub.u32 t, %1, %2;\n\t@!p sub.u32 t, %2, %1;\n\t"
      "mov.u32 %0, t;\n\t}" : "=r"(r) : "r"(v), "r"(0x40000000u));
  asm("lop3.b32 %0, %1, %2, %3, 0x96;" : "=r"(s) : "r"(v), "r"(r), "r"(lane));
  unsigned long long address;
  asm("cvta.to.global.u64 %0, %1;" : "=l"(address) : "l"(out + i));
  unsigned total = s + bit_field(v, lane, 7) + __popc(lane_mask_lt());
  asm volatile("st.global.u32 [%0], %1;" ::"l"(address), "r"(total) : "memory");
}

extern "C" __global__ void bit_intrinsics(const unsigned* a, const unsigned* b, unsigned* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned x = a[i], y = b[i], r[12];
  r[0] = __brev(x) + __clz(x) + __ffs(x) + __popc(y);
  r[1] = __byte_perm(x, y, 0x5140 ^ (x & 0x3333));
  r[2] = __funnelshift_l(x, y, x & 63);
  r[3] = __funnelshift_rc(x, y, y & 63);
  r[4] = __umulhi(x, y) ^ __mulhi((int)x, (int)y);
  r[5] = __usad(x, y, 7) + __sad((int)x, (int)y, 9);
  r[6] = __uhadd(x, y) + __hadd((int)x, (int)y) + __urhadd(x, y);
  r[7] = __vadd4(x, y) ^ __vsub2(x, y);
  r[8] = __vmaxs4(x, y) ^ __vminu2(x, y) ^ __vabsdiffu4(x, y);
  r[9] = __dp4a((int)x, (int)y, 5) + __dp2a_lo((int)x, (int)y, 3) + __dp2a_hi(x, y, 1u);
  r[10] = __umul24(x, y) + __mul24((int)x, (int)y);
  r[11] = __vcmpgts4(x, y) | (__vavgu4(x, y) & 0x01010101);
  for (int k = 0; k < 12; ++k) out[12 * i + k] = r[k];
}

extern "C" __global__ void half_arithmetic(const __half2* a, const __half2* b, __half2* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  __half2 x = a[i], y = b[i];
  out[6 * i] = __hadd2(x, y);
  out[6 * i + 1] = __hfma2(x, y, __hsub2(x, y));
  out[6 * i + 2] = __hmax2(x, __hneg2(y));
  out[6 * i + 3] = __h2div(x, y);
  out[6 * i + 4] = __hgt2(x, y);
  out[6 * i + 5] = __halves2half2(__hmul(__low2half(x), __high2half(y)), __int2half_rn(__half2int_rz(__low2half(x))));
}

extern "C" __global__ void bfloat_arithmetic(const __nv_bfloat16* a, const __nv_bfloat16* b, __nv_bfloat16* out,
                                             float* wide, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  __nv_bfloat16 x = a[i], y = b[i];
  out[3 * i] = __hadd(x, y);
  out[3 * i + 1] = __hfma(x, y, x);
  out[3 * i + 2] = x > y ? __hsub(x, y) : __hmul(x, y);
  wide[i] = __bfloat162float(x) * __bfloat162float(y);
}

extern "C" __global__ void conversions(const float* in, const double* din, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float f = in[i];
  double d = din[i];
  int* o = out + 12 * i;
  o[0] = (int)f;
  o[1] = (unsigned char)(int)f;
  o[2] = __float2int_rd(f) + __float2int_ru(f);
  o[3] = __float2uint_rn(fabsf(f));
  o[4] = __double2int_rn(d);
  o[5] = (int)(long long)d;
  o[6] = __float_as_int((float)d);
  o[7] = __double2hiint(d) ^ __double2loint(d);
  o[8] = __float_as_int(__int2float_rz(__float_as_int(f)));
  o[9] = __float_as_int(__ull2float_rn((unsigned long long)__double_as_longlong(d)));
  o[10] = (short)f + (signed char)(int)d;
  o[11] = __float_as_int(__fmaf_rz(f, f, (float)d)) ^ __float_as_int(__fdiv_ru(f, 3.f)) ^ __float_as_int(__fsqrt_rd(fabsf(f)));
}

// Copies to shared memory behind the computation; two stages.
extern "C" __global__ void pipeline_copies(const float* __restrict__ in, float* __restrict__ out, int tiles) {
  __shared__ __align__(16) float stage[2][128];
  const int t = threadIdx.x;
  const float* mine = in + (size_t)blockIdx.x * tiles * 128;
  if (t < 32) __pipeline_memcpy_async(&stage[0][4 * t], mine + 4 * t, 16);
  __pipeline_commit();
  float sum = 0;
  for (int k = 0; k < tiles; ++k) {
    if (k + 1 < tiles && t < 32)
      __pipeline_memcpy_async(&stage[(k + 1) & 1][4 * t], mine + (k + 1) * 128 + 4 * t, 16);
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    sum += stage[k & 1][(t * 5 + k) & 127];
    __syncthreads();
  }
  out[blockIdx.x * 128 + t] = sum;
}

// Rows of a triangle: blocks and threads in three dimensions.
extern "C" __global__ void three_dimensions(int* out, int nx, int ny, int nz) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  int z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x < nx && y < ny && z < nz)
    out[(z * ny + y) * nx + x] = x + 10 * y + 100 * z + 1000 * (blockIdx.z * gridDim.y * gridDim.x +
                                 blockIdx.y * gridDim.x + blockIdx.x) + 7 * (threadIdx.z * blockDim.y + threadIdx.y);
}

template <class F>
__device__ void for_each(int n, F f) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) f(i);
}
extern "C" __global__ void lambdas(const int* in, int* out, int n, int k) {
  auto clamp = [k](int v) { return v > k ? k : v < -k ? -k : v; };
  for_each(n, [=](int i) {
    int left = i > 0 ? in[i - 1] : 0, right = i + 1 < n ? in[i + 1] : 0;
    out[i] = clamp(in[i]) * 2 - clamp(left) - clamp(right);
  });
}

// Duff's device, a do-while with a break, and a loop left by goto.
extern "C" __global__ void odd_loops(const unsigned char* counts, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int count = counts[i], sum = 0, k = 0;
  if (count > 0) {
    int turns = (count + 3) / 4;
    switch (count % 4) {
      case 0: do { sum += k++;
      case 3: sum += 2 * k++;
      case 2: sum += 3 * k++;
      case 1: sum += 5 * k++;
      } while (--turns > 0);
    }
  }
  int j = 0;
  do {
    if ((sum + j) % 13 == 5) break;
    if (j % 3 == 1) continue;
    sum ^= j << 3;
  } while (++j < count);
  for (int a = 0; a < 8; ++a)
    for (int b = a; b < 8; ++b)
      if ((a * b + sum) % 17 == 0) {
        sum += 1000 * a + b;
        goto out_of_both;
      }
  sum = -sum;
out_of_both:
  out[i] = sum + j;
}

// Several arrays of different types in one piece of dynamic shared memory.
extern "C" __global__ void carved_shared(const int* in, double* out, int n) {
  extern __shared__ __align__(16) unsigned char raw[];
  double* d = reinterpret_cast<double*>(raw);
  int* i32 = reinterpret_cast<int*>(d + blockDim.x);
  unsigned short* u16 = reinterpret_cast<unsigned short*>(i32 + blockDim.x);
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  int v = i < n ? in[i] : 0;
  d[t] = v * 0.5;
  i32[t] = v;
  u16[t] = (unsigned short)v;
  __syncthreads();
  int o = blockDim.x - 1 - t;
  if (i < n) out[i] = d[o] + i32[(t * 7) % blockDim.x] + u16[(t + 1) % blockDim.x];
}

// Cache hints and vector accesses.
extern "C" __global__ void cache_hints(const float2* in, float4* out, int pairs, const double2* din, double2* dout) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (2 * i + 1 >= pairs) return;
  float2 a = __ldcg(in + 2 * i), b = __ldcs(in + 2 * i + 1);
  __stcs(out + i, make_float4(a.x + b.x, a.y, b.y, a.y - b.y));
  double2 d = __ldca(din + i);
  __stcg(dout + i, make_double2(d.y, d.x));
}
