// Transforms, series, random walks, particles, whole-number arithmetic.

struct Complex {
  float re, im;
};
__device__ inline Complex operator+(Complex a, Complex b) { return {a.re + b.re, a.im + b.im}; }
__device__ inline Complex operator-(Complex a, Complex b) { return {a.re - b.re, a.im - b.im}; }
__device__ inline Complex operator*(Complex a, Complex b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

// Radix-2 decimation in time, one transform for each block, n = 2 * blockDim.x.
extern "C" __global__ void fft_radix2(const float2* in, float2* out, int log_n) {
  extern __shared__ Complex a[];
  const int n = 1 << log_n, t = threadIdx.x;
  for (int i = t; i < n; i += blockDim.x) {
    float2 v = in[blockIdx.x * n + i];
    a[__brev(i) >> (32 - log_n)] = Complex{v.x, v.y};
  }
  __syncthreads();
  for (int stage = 1; stage <= log_n; ++stage) {
    int half = 1 << (stage - 1), group = t >> (stage - 1), j = t & (half - 1);
    int low = (group << stage) + j, high = low + half;
    float s, c;
    sincospif(-(float)j / half, &s, &c);
    Complex w = {c, s}, u = a[low], v = a[high] * w;
    a[low] = u + v;
    a[high] = u - v;
    __syncthreads();
  }
  for (int i = t; i < n; i += blockDim.x) out[blockIdx.x * n + i] = make_float2(a[i].re, a[i].im);
}

// Discrete cosine transform of 8x8 tiles: rows, then columns.
extern "C" __global__ void dct_8x8(const float* image, float* coefficients, int width) {
  __shared__ float tile[8][9];
  int x = threadIdx.x, y = threadIdx.y, gx = blockIdx.x * 8 + x, gy = blockIdx.y * 8 + y;
  tile[y][x] = image[gy * width + gx];
  __syncthreads();
  float sum = 0;
  for (int k = 0; k < 8; ++k) sum += tile[y][k] * cospif((2 * k + 1) * x / 16.0f);
  sum *= x == 0 ? 0.35355339f : 0.5f;
  __syncthreads();
  tile[y][x] = sum;
  __syncthreads();
  sum = 0;
  for (int k = 0; k < 8; ++k) sum += tile[k][x] * cospif((2 * k + 1) * y / 16.0f);
  coefficients[gy * width + gx] = sum * (y == 0 ? 0.35355339f : 0.5f);
}

// Haar wavelet of integers, all levels, lifting; n = 2^k in shared memory.
extern "C" __global__ void haar_lifting(int* data, int n) {
  extern __shared__ int h[];
  int* s = h;
  for (int i = threadIdx.x; i < n; i += blockDim.x) s[i] = data[blockIdx.x * n + i];
  __syncthreads();
  for (int length = n; length > 1; length /= 2) {
    int average = 0, detail = 0;
    bool works = threadIdx.x < length / 2;
    if (works) {
      int a = s[2 * threadIdx.x], b = s[2 * threadIdx.x + 1];
      detail = b - a;
      average = a + (detail >> 1);
    }
    __syncthreads();
    if (works) {
      s[threadIdx.x] = average;
      s[length / 2 + threadIdx.x] = detail;
    }
    __syncthreads();
  }
  for (int i = threadIdx.x; i < n; i += blockDim.x) data[blockIdx.x * n + i] = s[i];
}

#define EPS2 1e-3f
__device__ float3 interaction(float4 bi, float4 bj, float3 ai) {
  float3 r = make_float3(bj.x - bi.x, bj.y - bi.y, bj.z - bi.z);
  float distSqr = r.x * r.x + r.y * r.y + r.z * r.z + EPS2;
  float invDist = rsqrtf(distSqr);
  float s = bj.w * invDist * invDist * invDist;
  ai.x += r.x * s;
  ai.y += r.y * s;
  ai.z += r.z * s;
  return ai;
}

extern "C" __global__ void n_body(const float4* positions, float3* accelerations, int n) {
  extern __shared__ float4 shPosition[];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float3 acc = {0.0f, 0.0f, 0.0f};
  float4 mine = i < n ? positions[i] : make_float4(0, 0, 0, 0);
  for (int tile = 0; tile * blockDim.x < n; ++tile) {
    int j = tile * blockDim.x + threadIdx.x;
    shPosition[threadIdx.x] = j < n ? positions[j] : make_float4(0, 0, 0, 0);
    __syncthreads();
#pragma unroll 4
    for (int k = 0; k < blockDim.x; ++k) acc = interaction(mine, shPosition[k], acc);
    __syncthreads();
  }
  if (i < n) accelerations[i] = acc;
}

struct Sphere {
  float3 centre;
  float radius;
  int colour;
};
struct Ray {
  float3 origin, direction;
};

__device__ float dot(float3 a, float3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

__device__ bool hit(const Sphere& s, const Ray& ray, float& nearest) {
  float3 oc = make_float3(ray.origin.x - s.centre.x, ray.origin.y - s.centre.y, ray.origin.z - s.centre.z);
  float b = dot(oc, ray.direction), c = dot(oc, oc) - s.radius * s.radius;
  float disc = b * b - c;
  if (disc < 0) return false;
  float t = -b - sqrtf(disc);
  if (t < 1e-3f || t >= nearest) return false;
  nearest = t;
  return true;
}

extern "C" __global__ void ray_spheres(const Sphere* spheres, int count, int* colour, float* depth, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  Ray ray;
  ray.origin = make_float3(0, 0, -5);
  float3 d = make_float3((x + 0.5f) / w - 0.5f, (y + 0.5f) / h - 0.5f, 1.0f);
  float inverse = 1.0f / sqrtf(dot(d, d));
  ray.direction = make_float3(d.x * inverse, d.y * inverse, d.z * inverse);
  float nearest = 1e20f;
  int which = -1;
  for (int i = 0; i < count; ++i)
    if (hit(spheres[i], ray, nearest)) which = spheres[i].colour;
  colour[y * w + x] = which;
  depth[y * w + x] = nearest;
}

// Gregory's series for pi in double precision, Kahan's summation.
extern "C" __global__ void series_pi(double* partial, int terms) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, stride = gridDim.x * blockDim.x;
  double sum = 0, lost = 0;
  for (int k = i; k < terms; k += stride) {
    double term = ((k & 1) ? -4.0 : 4.0) / (2.0 * k + 1.0);
    double y = __dsub_rn(term, lost);
    double t = __dadd_rn(sum, y);
    lost = __dsub_rn(__dsub_rn(t, sum), y);
    sum = t;
  }
  partial[i] = sum;
}

// Double-precision functions of the standard library.
extern "C" __global__ void double_functions(const double* x, double* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double v = x[i];
  out[8 * i + 0] = sqrt(fabs(v));
  out[8 * i + 1] = exp(v * 0.125);
  out[8 * i + 2] = log(fabs(v) + 1e-3);
  out[8 * i + 3] = sin(v);
  out[8 * i + 4] = atan2(v, 1.5);
  out[8 * i + 5] = pow(fabs(v) + 0.5, 1.7);
  out[8 * i + 6] = floor(v) + fmod(v, 0.75);
  out[8 * i + 7] = erf(v * 0.3) + cbrt(v);
}

extern "C" __global__ void float_functions(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = x[i];
  float results[10] = {sqrtf(fabsf(v)), cbrtf(v), exp2f(v * 0.5f), logf(fabsf(v) + 1e-3f), sinf(v), atanf(v),
                       powf(fabsf(v) + 0.5f, 1.7f), rintf(v) + truncf(v), hypotf(v, 2.f), erff(v * 0.3f)};
  for (int k = 0; k < 10; ++k) out[10 * i + k] = results[k];
}

// a + b of numbers of `words` 32-bit words, least significant first; one thread each.
extern "C" __global__ void big_add(const unsigned* a, const unsigned* b, unsigned* sum, int n, int words) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned carry = 0;
  for (int w = 0; w < words; ++w) {
    unsigned x = a[i * words + w], y = b[i * words + w];
    unsigned s = x + y;
    unsigned c = s < x;
    s += carry;
    c += s < carry;
    sum[i * (words + 1) + w] = s;
    carry = c;
  }
  sum[i * (words + 1) + words] = carry;
}

// 256-bit product of 128-bit numbers with the machine's carries.
extern "C" __global__ void multiply_128(const uint4* a, const uint4* b, uint4* low_high, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const unsigned x[4] = {a[i].x, a[i].y, a[i].z, a[i].w}, y[4] = {b[i].x, b[i].y, b[i].z, b[i].w};
  unsigned r[8] = {};
#pragma unroll
  for (int j = 0; j < 4; ++j) {
    unsigned carry = 0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      unsigned lo, hi;
      asm("mul.lo.u32 %0, %1, %2;" : "=r"(lo) : "r"(x[k]), "r"(y[j]));
      asm("mul.hi.u32 %0, %1, %2;" : "=r"(hi) : "r"(x[k]), "r"(y[j]));
      asm("add.cc.u32 %0, %0, %2;\n\taddc.u32 %1, %1, 0;" : "+r"(lo), "+r"(hi) : "r"(r[j + k]));
      asm("add.cc.u32 %0, %0, %2;\n\taddc.u32 %1, %1, 0;" : "+r"(lo), "+r"(hi) : "r"(carry));
      r[j + k] = lo;
      carry = hi;
    }
    r[j + 4] = carry;
  }
  low_high[2 * i] = make_uint4(r[0], r[1], r[2], r[3]);
  low_high[2 * i + 1] = make_uint4(r[4], r[5], r[6], r[7]);
}

extern "C" __global__ void wide_integers(const long long* a, const long long* b, long long* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  long long x = a[i], y = b[i] == 0 ? 1 : b[i];
  unsigned long long u = x, v = y;
  __int128 product = (__int128)x * y;
  unsigned __int128 square = (unsigned __int128)u * u;
  long long r[8];
  r[0] = x / (y == -1 ? 3 : y);
  r[1] = x % (y == -1 ? 3 : y);
  r[2] = u / v + u % v;
  r[3] = (long long)(product >> 64);
  r[4] = (long long)(square >> 37);
  r[5] = __popcll(u) + __clzll(x) * 100 + __ffsll(y) * 10000;
  r[6] = (x << (v & 63)) ^ (x >> (u & 63));
  r[7] = (long long)__brevll(u) + __mul64hi(x, y);
  for (int k = 0; k < 8; ++k) out[8 * i + k] = r[k];
}

__device__ unsigned long long multiply_mod(unsigned long long a, unsigned long long b, unsigned long long m) {
  unsigned long long r = 0;
  a %= m;
  while (b) {
    if (b & 1) r = r >= m - a ? r - (m - a) : r + a;
    a = a >= m - a ? a - (m - a) : a + a;
    b >>= 1;
  }
  return r;
}

// base^exponent mod m, 64 bits.
extern "C" __global__ void power_mod(const unsigned long long* base, const unsigned* exponent,
                                     const unsigned long long* modulus, unsigned long long* out, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
    unsigned long long m = modulus[i], result = 1 % m, b = base[i] % m;
    for (unsigned e = exponent[i]; e != 0; e >>= 1) {
      if (e & 1) result = multiply_mod(result, b, m);
      b = multiply_mod(b, b, m);
    }
    out[i] = result;
  }
}

// Sieve of Eratosthenes, one bit for each odd number, by segments in shared memory.
extern "C" __global__ void sieve_segments(unsigned* bits, int words, const int* primes, int count) {
  extern __shared__ unsigned segment[];
  const int first_word = blockIdx.x * blockDim.x;
  const int here = min((int)blockDim.x, words - first_word);
  if (threadIdx.x < here) segment[threadIdx.x] = 0;
  __syncthreads();
  const int low = first_word * 32, high = low + here * 32;  // index i stands for 2i + 1
  for (int p = threadIdx.x; p < count; p += blockDim.x) {
    int q = primes[p];
    int start = (q * q - 1) / 2;
    if (start < low) start += (low - start + q - 1) / q * q;
    for (int i = start; i < high; i += q) atomicOr(&segment[(i - low) >> 5], 1u << ((i - low) & 31));
  }
  __syncthreads();
  if (threadIdx.x < here) bits[first_word + threadIdx.x] = ~segment[threadIdx.x];
}

// Greatest common divisors by subtraction and shifts, and steps of Collatz's problem.
extern "C" __global__ void number_games(const unsigned* a, const unsigned* b, unsigned* gcd, unsigned short* steps,
                                        int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned x = a[i], y = b[i];
  if (x == 0 || y == 0) {
    gcd[i] = x | y;
  } else {
    int shift = __ffs(x | y) - 1;
    x >>= __ffs(x) - 1;
    do {
      y >>= __ffs(y) - 1;
      if (x > y) {
        unsigned t = x;
        x = y;
        y = t;
      }
      y -= x;
    } while (y != 0);
    gcd[i] = x << shift;
  }
  unsigned long long c = a[i] % 10000 + 1;
  unsigned short count = 0;
  while (c != 1) {
    c = c % 2 == 0 ? c / 2 : 3 * c + 1;
    ++count;
  }
  steps[i] = count;
}

// Cholesky factor of small symmetric matrices, one warp's worth of threads each, in shared memory.
extern "C" __global__ void cholesky_small(float* matrices, int n) {
  __shared__ float a[24][25];
  float* m = matrices + blockIdx.x * n * n;
  for (int i = threadIdx.x; i < n * n; i += blockDim.x) a[i / n][i % n] = m[i];
  __syncthreads();
  for (int k = 0; k < n; ++k) {
    if (threadIdx.x == 0) a[k][k] = sqrtf(a[k][k]);
    __syncthreads();
    for (int i = k + 1 + threadIdx.x; i < n; i += blockDim.x) a[i][k] /= a[k][k];
    __syncthreads();
    for (int i = k + 1 + threadIdx.x; i < n; i += blockDim.x)
      for (int j = k + 1; j <= i; ++j) a[i][j] -= a[i][k] * a[j][k];
    __syncthreads();
  }
  for (int i = threadIdx.x; i < n * n; i += blockDim.x) m[i] = i % n <= i / n ? a[i / n][i % n] : 0.f;
}

// Tridiagonal systems, Thomas's algorithm; systems are interleaved so that threads read side by side.
extern "C" __global__ void tridiagonal(const double* a, const double* b, const double* c, const double* d, double* x,
                                       double* scratch, int n, int systems) {
  int s = blockIdx.x * blockDim.x + threadIdx.x;
  if (s >= systems) return;
  double cp = c[s] / b[s], dp = d[s] / b[s];
  scratch[s] = cp;
  x[s] = dp;
  for (int i = 1; i < n; ++i) {
    int at = i * systems + s;
    double m = 1.0 / (b[at] - a[at] * cp);
    cp = c[at] * m;
    dp = (d[at] - a[at] * dp) * m;
    scratch[at] = cp;
    x[at] = dp;
  }
  for (int i = n - 2; i >= 0; --i) x[i * systems + s] -= scratch[i * systems + s] * x[(i + 1) * systems + s];
}
