// What the row-wise operators share: elements of fp32 or bf16 and vectors of them, reductions over lanes and CTAs, and
// values that the CTAs of a row publish for one another. All arithmetic is in fp32: DTYPE only says how memory holds
// it.
#pragma once
#include "elements.cuh"

constexpr int WIDTH = 16 / sizeof(Element);  // elements of one access of 16 bytes: 4 or 8

/// WIDTH neighbours of a row, still packed as memory holds them.
struct alignas(16) Vector {
  unsigned word[4];
  __device__ float operator[](int k) const {
#if DTYPE == 1  // bf16 is the upper half of an fp32
    return __uint_as_float(k % 2 == 1 ? word[k / 2] & 0xffff0000u : word[k / 2] << 16);
#else
    return __uint_as_float(word[k]);
#endif
  }
};

__device__ inline Vector pack(const float (&value)[WIDTH]) {
  Vector vector;
  for (int i = 0; i < 4; ++i) {
#if DTYPE == 1
    const __nv_bfloat162 two = __floats2bfloat162_rn(value[2 * i], value[2 * i + 1]);
    vector.word[i] = *reinterpret_cast<const unsigned*>(&two);
#else
    vector.word[i] = __float_as_uint(value[i]);
#endif
  }
  return vector;
}

/// The vector at `at`, or WIDTH times `outside` where the row has ended. Rows must start on 16 bytes: their length is a
/// multiple of WIDTH.
__device__ inline Vector load_vector(const Element* row, int at, int columns, float outside = 0) {
  float value[WIDTH];
  for (int k = 0; k < WIDTH; ++k) value[k] = outside;
  Vector vector = pack(value);
  if (at < columns) vector = *reinterpret_cast<const Vector*>(row + at);
  return vector;
}
__device__ inline void store_vector(Element* row, int at, int columns, const float (&value)[WIDTH]) {
  if (at < columns) *reinterpret_cast<Vector*>(row + at) = pack(value);
}

struct Add {
  static __device__ float nothing() { return 0; }
  __device__ float operator()(float x, float y) const { return x + y; }
};
struct Max {
  static __device__ float nothing() { return -3.402823466e38f; }
  __device__ float operator()(float x, float y) const { return fmaxf(x, y); }
};

/// Reduces over all threads of the CTA, by a tree in shared memory: in each step half of the threads that are left add
/// what the other half holds. `shared`: (BLOCK).
template <class Op>
__device__ inline float reduce_by_tree(float mine, float* shared) {
  shared[threadIdx.x] = mine;
  __syncthreads();
  for (int half = BLOCK / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) shared[threadIdx.x] = Op()(shared[threadIdx.x], shared[threadIdx.x + half]);
    __syncthreads();
  }
  const float all = shared[0];
  __syncthreads();  // whoever reduces next writes where others still read
  return all;
}

/// Reduces over COUNT neighbouring lanes, from register to register: every lane gets the result.
template <class Op, int COUNT = 32>
__device__ inline float reduce_lanes(float mine) {
  for (int distance = COUNT / 2; distance > 0; distance /= 2)
    mine = Op()(mine, __shfl_xor_sync(0xffffffff, mine, distance));
  return mine;
}

/// Reduces over all threads of the CTA, with one barrier: each warp by itself, then every warp over the warps' results.
/// `per_warp`: (32), which no other reduction of the kernel uses.
template <class Op>
__device__ inline float reduce_cta(float mine, float* per_warp) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  mine = reduce_lanes<Op>(mine);
  if (lane == 0) per_warp[warp] = mine;
  __syncthreads();
  return reduce_lanes<Op>(lane < BLOCK / 32 ? per_warp[lane] : Op::nothing());
}

#ifdef CTAS
/// One of the CTAS shares of a row: its elements, `size` of them unless the row ends before, and the index of its
/// counter: every row has 8, one for each possible CTAS.
struct Share {
  int row, part, size, start, length;
  long long slot;
  __device__ explicit Share(int columns) : row(blockIdx.x / CTAS), part(blockIdx.x % CTAS) {
    size = (columns + CTAS * WIDTH - 1) / (CTAS * WIDTH) * WIDTH;
    start = min(part * size, columns);
    length = min(size, columns - start);
    slot = row * 8LL + __ffs(CTAS) - 1;
  }
};
/// Thread 0 sets `epoch` to a number that differs in every launch, so that nothing from an earlier launch counts.
/// `entered` is how many CTAs have ever entered for the row. The atomic is issued before the row is read, so that its
/// latency is hidden.
__device__ inline void enter_epoch(unsigned& epoch, unsigned* entered) {
  if (threadIdx.x == 0) epoch = (atomicAdd(entered, 1) / CTAS + 1) * 8 + __ffs(CTAS) - 1;
}

/// A float that one CTA publishes for others, and the epoch that it belongs to, in one word of 8 bytes. Such a word is
/// written and read as a whole: a CTA that reads the epoch has also read the value, without a fence.
__device__ inline void publish(unsigned long long* address, float value, unsigned epoch) {
  *static_cast<volatile unsigned long long*>(address) =
      static_cast<unsigned long long>(epoch) << 32 | __float_as_uint(value);
}
/// Waits until the word has been written in this epoch. One warp polls for the whole CTA: polls take bandwidth as well.
__device__ inline float poll(const unsigned long long* address, unsigned epoch) {
  unsigned long long word = 0;
  do word = *static_cast<const volatile unsigned long long*>(address);
  while (word >> 32 != epoch);
  return __uint_as_float(static_cast<unsigned>(word));
}
#endif
