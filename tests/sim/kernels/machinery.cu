// What the machine must do beyond arithmetic: memory spaces, lane exchange, control flow.
#include <cuda_fp16.h>

__device__ int table[4] = {10, 20, 30, 40};
__constant__ float weights[4] = {0.5f, 1.5f, 2.5f, 3.5f};
__device__ int* where = &table[2];

__device__ __forceinline__ float square(float x) { return x * x; }

extern "C" __global__ void reverse(const float* in, float* out) {
  __shared__ float tile[256];
  tile[threadIdx.x] = in[blockIdx.x * 256 + threadIdx.x];
  __syncthreads();
  out[blockIdx.x * 256 + threadIdx.x] = tile[255 - threadIdx.x];
}
extern "C" __global__ void dynamic_shared(int* out) {
  extern __shared__ int slots[];
  slots[threadIdx.x] = threadIdx.x * 3;
  __syncthreads();
  out[threadIdx.x] = slots[blockDim.x - 1 - threadIdx.x];
}
extern "C" __global__ void warp_sum(const float* in, float* out) {
  float x = in[threadIdx.x];
  for (int step = 16; step > 0; step /= 2) x += __shfl_down_sync(0xffffffff, x, step);
  if (threadIdx.x % 32 == 0) out[threadIdx.x / 32] = x;
}
extern "C" __global__ void lanes(unsigned* out) {
  unsigned odd = __ballot_sync(0xffffffff, threadIdx.x & 1);
  out[threadIdx.x] =
      odd ^ __shfl_xor_sync(0xffffffff, threadIdx.x, 3) ^ (__any_sync(0xffffffff, threadIdx.x == 9) << 31);
}
extern "C" __global__ void variables(float* out) {
  int i = threadIdx.x;
  out[i] = table[i & 3] * weights[i & 3] + *where;
}
extern "C" __global__ void local_array(const int* in, int* out, int n) {
  int counts[16];
  for (int k = 0; k < 16; ++k) counts[k] = k;
  for (int k = 0; k < n; ++k) counts[in[k] & 15] += threadIdx.x;
  out[threadIdx.x] = counts[in[threadIdx.x] & 15];
}
struct Pair {
  int first;
  float second[3];
};
extern "C" __global__ void by_value(Pair pair, short small, unsigned char byte, double wide, float* out) {
  out[threadIdx.x] = pair.first + pair.second[threadIdx.x % 3] + small + byte + (float)wide;
}
extern "C" __global__ void count_odd(const int* in, int* count, float* sum, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && (in[i] & 1)) {
    atomicAdd(count, 1);
    atomicAdd(sum, 0.5f);
  }
}
extern "C" __global__ void choose(const int* in, int* out) {
  int i = threadIdx.x;
  switch (in[i]) {
    case 0:
      out[i] = 100;
      break;
    case 1:
      out[i] = in[i] * 7;
      break;
    case 2:
      out[i] = 22;
      break;
    case 3:
      out[i] = i;
      break;
    case 4:
      out[i] = -i;
      break;
    case 5:
      out[i] = 55;
      break;
    case 6:
      out[i] = 66 + i;
      break;
    default:
      out[i] = -1;
  }
}
extern "C" __global__ void halves(const __half* in, __half2* out, float* wide) {
  int i = threadIdx.x;
  __half x = in[i];
  wide[i] = square(__half2float(x));
  out[i] = __hfma2(__half2half2(x), __float2half2_rn(2.0f), __float2half2_rn(0.25f));
}
// Block 1 waits for what block 0 writes only after block 1 is there.
extern "C" __global__ void meet(volatile int* flags, int* out) {
  if (threadIdx.x == 0) {
    flags[blockIdx.x] = 1;
    __threadfence();
    while (flags[1 - blockIdx.x] == 0) {
    }
    out[blockIdx.x] = 7;
  }
}
// A lock that the lanes of a warp take in turn.
extern "C" __global__ void locked(int* lock, int* count) {
  bool done = false;
  while (!done) {
    if (atomicCAS(lock, 0, 1) == 0) {
      *(volatile int*)count = *(volatile int*)count + 1;
      __threadfence();
      atomicExch(lock, 0);
      done = true;
    }
  }
}
