// The rungs of a parallel sum, and other things that a block can reduce.

extern "C" __global__ void reduce_interleaved(const int* g_in, int* g_out, unsigned int n) {
  extern __shared__ int sdata[];
  unsigned int tid = threadIdx.x;
  unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
  sdata[tid] = (i < n) ? g_in[i] : 0;
  __syncthreads();
  for (unsigned int s = 1; s < blockDim.x; s *= 2) {
    if (tid % (2 * s) == 0 && tid + s < blockDim.x) sdata[tid] += sdata[tid + s];
    __syncthreads();
  }
  if (tid == 0) g_out[blockIdx.x] = sdata[0];
}

extern "C" __global__ void reduce_strided_index(const int* g_in, int* g_out, unsigned int n) {
  extern __shared__ int sdata[];
  unsigned int tid = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  sdata[tid] = (i < n) ? g_in[i] : 0;
  __syncthreads();
  for (unsigned int s = 1; s < blockDim.x; s *= 2) {
    unsigned int index = 2 * s * tid;
    if (index + s < blockDim.x) sdata[index] += sdata[index + s];
    __syncthreads();
  }
  if (tid == 0) g_out[blockIdx.x] = sdata[0];
}

extern "C" __global__ void reduce_sequential(const int* g_in, int* g_out, unsigned int n) {
  extern __shared__ int sdata[];
  unsigned int tid = threadIdx.x, i = blockIdx.x * (blockDim.x * 2) + threadIdx.x;
  int mine = (i < n) ? g_in[i] : 0;
  if (i + blockDim.x < n) mine += g_in[i + blockDim.x];
  sdata[tid] = mine;
  __syncthreads();
  for (unsigned int s = blockDim.x / 2; s > 0; s >>= 1) {
    if (tid < s) sdata[tid] = mine = mine + sdata[tid + s];
    __syncthreads();
  }
  if (tid == 0) g_out[blockIdx.x] = mine;
}

// The last warp goes on alone; its memory steps are kept apart by __syncwarp.
template <unsigned int kBlock>
__device__ __forceinline__ void last_warp(int* sdata, unsigned int tid) {
  int v = sdata[tid];
  if (kBlock >= 64) { v += sdata[tid + 32]; __syncwarp(); sdata[tid] = v; __syncwarp(); }
  if (kBlock >= 32) { v += sdata[tid + 16]; __syncwarp(); sdata[tid] = v; __syncwarp(); }
  if (kBlock >= 16) { v += sdata[tid + 8]; __syncwarp(); sdata[tid] = v; __syncwarp(); }
  if (kBlock >= 8) { v += sdata[tid + 4]; __syncwarp(); sdata[tid] = v; __syncwarp(); }
  if (kBlock >= 4) { v += sdata[tid + 2]; __syncwarp(); sdata[tid] = v; __syncwarp(); }
  if (kBlock >= 2) { v += sdata[tid + 1]; __syncwarp(); sdata[tid] = v; __syncwarp(); }
}

template <unsigned int kBlock>
__device__ void reduce_unrolled(const int* g_in, int* g_out, unsigned int n) {
  __shared__ int sdata[kBlock + 32];
  unsigned int tid = threadIdx.x;
  unsigned int i = blockIdx.x * (kBlock * 2) + tid;
  const unsigned int gridSize = kBlock * 2 * gridDim.x;
  int sum = 0;
  while (i < n) {
    sum += g_in[i];
    if (i + kBlock < n) sum += g_in[i + kBlock];
    i += gridSize;
  }
  sdata[tid] = sum;
  if (tid < 32) sdata[kBlock + tid] = 0;
  __syncthreads();
  if (kBlock >= 512) { if (tid < 256) sdata[tid] += sdata[tid + 256]; __syncthreads(); }
  if (kBlock >= 256) { if (tid < 128) sdata[tid] += sdata[tid + 128]; __syncthreads(); }
  if (kBlock >= 128) { if (tid < 64) sdata[tid] += sdata[tid + 64]; __syncthreads(); }
  if (tid < 32) last_warp<kBlock>(sdata, tid);
  if (tid == 0) g_out[blockIdx.x] = sdata[0];
}

extern "C" __global__ void __launch_bounds__(256) reduce_unrolled_256(const int* g_in, int* g_out, unsigned int n) {
  reduce_unrolled<256>(g_in, g_out, n);
}
extern "C" __global__ void __launch_bounds__(64) reduce_unrolled_64(const int* g_in, int* g_out, unsigned int n) {
  reduce_unrolled<64>(g_in, g_out, n);
}

__inline__ __device__ int warpReduceSum(int val) {
  for (int offset = warpSize / 2; offset > 0; offset /= 2) val += __shfl_down_sync(0xffffffff, val, offset);
  return val;
}

__inline__ __device__ int blockReduceSum(int val) {
  static __shared__ int shared[32];
  int lane = threadIdx.x % warpSize;
  int wid = threadIdx.x / warpSize;
  val = warpReduceSum(val);
  if (lane == 0) shared[wid] = val;
  __syncthreads();
  val = (threadIdx.x < blockDim.x / warpSize) ? shared[lane] : 0;
  if (wid == 0) val = warpReduceSum(val);
  return val;
}

// Blocks of whole warps.
extern "C" __global__ void reduce_shuffle(const int* __restrict__ in, int* __restrict__ out, int n) {
  int sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) sum += in[i];
  sum = blockReduceSum(sum);
  if (threadIdx.x == 0) atomicAdd(out, sum);
}

// The last block to finish adds up what the others left.
__device__ unsigned int retirementCount = 0;

extern "C" __global__ void reset_retirement() { retirementCount = 0; }

extern "C" __global__ void reduce_single_pass(const float* in, volatile float* partial, float* out, int n) {
  __shared__ float s[256];
  __shared__ bool amLast;
  const int tid = threadIdx.x;
  float sum = 0.0f;
  for (int i = blockIdx.x * blockDim.x + tid; i < n; i += gridDim.x * blockDim.x) sum += in[i];
  s[tid] = sum;
  __syncthreads();
  for (int d = blockDim.x >> 1; d; d >>= 1) {
    if (tid < d) s[tid] += s[tid + d];
    __syncthreads();
  }
  if (tid == 0) {
    partial[blockIdx.x] = s[0];
    __threadfence();
    unsigned int ticket = atomicInc(&retirementCount, gridDim.x);
    amLast = (ticket == gridDim.x - 1);
  }
  __syncthreads();
  if (!amLast) return;
  sum = 0.0f;
  for (int i = tid; i < gridDim.x; i += blockDim.x) sum += partial[i];
  s[tid] = sum;
  __syncthreads();
  for (int d = blockDim.x >> 1; d; d >>= 1) {
    if (tid < d) s[tid] += s[tid + d];
    __syncthreads();
  }
  if (tid == 0) {
    *out = s[0];
    retirementCount = 0;
  }
}

struct ValueIndex {
  float value;
  int index;
};

__device__ ValueIndex better(ValueIndex a, ValueIndex b) {
  if (b.value > a.value || (b.value == a.value && b.index < a.index)) return b;
  return a;
}

extern "C" __global__ void row_argmax(const float* m, int cols, int* where, float* what) {
  const float* row = m + (long long)blockIdx.x * cols;
  ValueIndex best{-3.402823466e+38f, 0x7fffffff};
  for (int c = threadIdx.x; c < cols; c += blockDim.x) best = better(best, ValueIndex{row[c], c});
  for (int delta = 16; delta >= 1; delta /= 2) {
    ValueIndex other;
    other.value = __shfl_xor_sync(~0u, best.value, delta);
    other.index = __shfl_xor_sync(~0u, best.index, delta);
    best = better(best, other);
  }
  __shared__ ValueIndex warps[32];
  if ((threadIdx.x & 31) == 0) warps[threadIdx.x >> 5] = best;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int w = 1; w < (blockDim.x + 31) / 32; w++) best = better(best, warps[w]);
    where[blockIdx.x] = best.index;
    what[blockIdx.x] = best.value;
  }
}

struct Moments {
  float mean, m2;
  int count;
};

__device__ Moments merge(const Moments& a, const Moments& b) {
  Moments r;
  r.count = a.count + b.count;
  if (r.count == 0) return Moments{0.f, 0.f, 0};
  float delta = b.mean - a.mean;
  r.mean = a.mean + delta * b.count / r.count;
  r.m2 = a.m2 + b.m2 + delta * delta * ((float)a.count * b.count / r.count);
  return r;
}

// Welford's mean and variance of each row.
extern "C" __global__ void row_moments(const float* in, float* mean, float* variance, int cols) {
  __shared__ Moments s[128];
  Moments m{0.f, 0.f, 0};
  for (int c = threadIdx.x; c < cols; c += blockDim.x) {
    float x = in[blockIdx.x * cols + c];
    m.count++;
    float delta = x - m.mean;
    m.mean += delta / m.count;
    m.m2 += delta * (x - m.mean);
  }
  s[threadIdx.x] = m;
  __syncthreads();
  for (int d = 64; d > 0; d >>= 1) {
    if (threadIdx.x < d && threadIdx.x + d < blockDim.x) s[threadIdx.x] = merge(s[threadIdx.x], s[threadIdx.x + d]);
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    mean[blockIdx.x] = s[0].mean;
    variance[blockIdx.x] = s[0].m2 / s[0].count;
  }
}

extern "C" __global__ void dot_double(const double* __restrict__ x, const double* __restrict__ y, double* out, int n) {
  extern __shared__ double cache[];
  double temp = 0;
  for (int i = threadIdx.x + blockIdx.x * blockDim.x; i < n; i += blockDim.x * gridDim.x) temp += x[i] * y[i];
  cache[threadIdx.x] = temp;
  __syncthreads();
  int i = blockDim.x / 2;
  while (i != 0) {
    if (threadIdx.x < i) cache[threadIdx.x] += cache[threadIdx.x + i];
    __syncthreads();
    i /= 2;
  }
  if (threadIdx.x == 0) atomicAdd(out, cache[0]);
}

// Smallest and largest of signed numbers; blocks of whole warps.
extern "C" __global__ void min_max(const int4* in, int vectors, int* low_high) {
  int low = 2147483647, high = -2147483647 - 1;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < vectors; i += gridDim.x * blockDim.x) {
    const int4 v = __ldg(&in[i]);
    low = min(low, min(min(v.x, v.y), min(v.z, v.w)));
    high = max(high, max(max(v.x, v.y), max(v.z, v.w)));
  }
  low = __reduce_min_sync(0xffffffff, low);
  high = __reduce_max_sync(0xffffffff, high);
  if (threadIdx.x % 32 == 0) {
    atomicMin(&low_high[0], low);
    atomicMax(&low_high[1], high);
  }
}
