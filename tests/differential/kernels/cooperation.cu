// Threads, warps and blocks that wait for one another, vote, and lock.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

namespace cg = cooperative_groups;

extern "C" __global__ void tile_sums(const int* in, int* sums, int n) {
  cg::thread_block block = cg::this_thread_block();
  cg::thread_block_tile<16> tile = cg::tiled_partition<16>(block);
  int i = block.group_index().x * block.size() + block.thread_rank();
  int v = i < n ? in[i] : 0;
  for (int offset = tile.size() / 2; offset > 0; offset /= 2) v += tile.shfl_down(v, offset);
  if (tile.thread_rank() == 0) sums[i / 16] = v;
}

extern "C" __global__ void tile_reduce(const int* in, int* totals, int n) {
  auto block = cg::this_thread_block();
  auto warp = cg::tiled_partition<32>(block);
  int sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += in[i];
  sum = cg::reduce(warp, sum, cg::plus<int>());
  if (warp.thread_rank() == 0) atomicAdd(totals, sum);
  int biggest = cg::reduce(warp, sum, cg::greater<int>());
  if (warp.thread_rank() == warp.size() - 1) atomicMax(totals + 1, biggest);
  block.sync();
}

// Lanes that are here together take their places with one atomic.
__device__ int aggregated_increment(int* counter) {
  cg::coalesced_group here = cg::coalesced_threads();
  int base;
  if (here.thread_rank() == 0) base = atomicAdd(counter, here.size());
  return here.shfl(base, 0) + here.thread_rank();
}
extern "C" __global__ void filter_aggregated(const int* in, int n, int* out, int* counter) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  if (in[i] % 3 == 0) out[aggregated_increment(counter)] = in[i];
}

__device__ int mutex_word = 0;
extern "C" __global__ void reset_mutex() { mutex_word = 0; }

// One thread of each block at a time adds to a total that is no atomic's.
extern "C" __global__ void spin_lock_blocks(const int* in, volatile long long* total, int n) {
  __shared__ int block_sum;
  if (threadIdx.x == 0) block_sum = 0;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&block_sum, in[i]);
  __syncthreads();
  if (threadIdx.x == 0) {
    while (atomicCAS(&mutex_word, 0, 1) != 0) __nanosleep(20);
    __threadfence();
    *total = *total + block_sum;
    __threadfence();
    atomicExch(&mutex_word, 0);
  }
}

// Lanes of a warp that want the same lock: the holder goes on inside of the loop.
extern "C" __global__ void spin_lock_lanes(int* locks, volatile int* counters, const int* which, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int w = which[i];
  bool done = false;
  while (!done) {
    if (atomicCAS(&locks[w], 0, 1) == 0) {
      __threadfence();
      counters[w] = counters[w] * 2 + 1 - counters[w];
      __threadfence();
      atomicExch(&locks[w], 0);
      done = true;
    }
  }
}

// Even blocks produce, odd ones consume what their neighbour made.
extern "C" __global__ void producer_consumer(const int* in, int* buffer, int* flags, int* out, int per_block) {
  int pair = blockIdx.x / 2;
  int* mine = buffer + pair * per_block;
  if (blockIdx.x % 2 == 0) {
    for (int i = threadIdx.x; i < per_block; i += blockDim.x) mine[i] = in[pair * per_block + i] * 2;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) atomicExch(&flags[pair], 1);
  } else {
    if (threadIdx.x == 0) {
      while (atomicAdd(&flags[pair], 0) == 0) {
      }
      __threadfence();
    }
    __syncthreads();
    for (int i = threadIdx.x; i < per_block; i += blockDim.x) out[pair * per_block + i] = mine[per_block - 1 - i] + 1;
  }
}

// All blocks wait for one another by a counter; as many as are resident.
extern "C" __global__ void grid_barrier(int* data, int* arrived, int n) {
  for (int round = 1; round <= 3; ++round) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
      data[round * n + i] = data[(round - 1) * n + (n - 1 - i)] + round;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
      atomicAdd(arrived, 1);
      while (atomicAdd(arrived, 0) < round * gridDim.x) {
      }
    }
    __syncthreads();
  }
}

// Every vote there is.
extern "C" __global__ void votes(const int* in, unsigned* out) {
  int v = in[blockIdx.x * blockDim.x + threadIdx.x];
  unsigned any = __any_sync(0xffffffff, v > 90), all = __all_sync(0xffffffff, v > 5);
  unsigned ballot = __ballot_sync(0xffffffff, v & 1);
  unsigned match = __match_any_sync(0xffffffff, v & 7);
  int agree;
  unsigned match_all = __match_all_sync(0xffffffff, v >> 20, &agree);
  unsigned r = any | all << 1 | (agree ? 4 : 0);
  r += ballot * 5 + match * 3 + match_all;
  r ^= __reduce_xor_sync(0xffffffff, v) + __reduce_and_sync(0xffffffff, v | 1) + __reduce_or_sync(0xffffffff, v);
  int across = __syncthreads_or(v == 77) + 2 * __syncthreads_and(v < 1000) + 4 * __syncthreads_count(v > 50);
  out[blockIdx.x * blockDim.x + threadIdx.x] = r * 16 + across;
}

// Shuffles within parts of a warp.
extern "C" __global__ void shuffles(const int* in, int* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, v = in[i];
  int r = __shfl_up_sync(0xffffffff, v, 3, 8) + 3 * __shfl_down_sync(0xffffffff, v, 5, 16) +
          5 * __shfl_xor_sync(0xffffffff, v, 6, 8) + 7 * __shfl_sync(0xffffffff, v, v & 31) +
          11 * __shfl_sync(0xffffffff, v, 2, 4);
  double d = __shfl_xor_sync(0xffffffff, v * 0.5, 1);
  long long l = __shfl_down_sync(0xffffffff, (long long)v << 20, 1);
  out[i] = r + (int)(d * 2) * 13 + (int)(l >> 20) * 17;
}

// Half-warps synchronise on their own.
extern "C" __global__ void half_warps(const int* in, int* out) {
  __shared__ int s[128];
  int t = threadIdx.x;
  unsigned mask = (t & 31) < 16 ? 0x0000ffffu : 0xffff0000u;
  s[t] = in[blockIdx.x * 128 + t];
  if ((t & 31) < 16) {
    for (int d = 8; d > 0; d /= 2) {
      __syncwarp(mask);
      int v = s[t ^ d];
      __syncwarp(mask);
      s[t] += v;
    }
  } else {
    for (int d = 1; d < 16; d *= 2) {
      __syncwarp(mask);
      int v = s[t ^ d];
      __syncwarp(mask);
      s[t] = max(s[t], v);
    }
  }
  __syncwarp(mask);
  out[blockIdx.x * 128 + t] = s[t];
}

// Named barriers: two warps hand each other a buffer while the others work on.
extern "C" __global__ void named_barriers(const int* in, int* out, int rounds) {
  __shared__ int buffer[32];
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (warp == 0) {
    for (int r = 0; r < rounds; ++r) {
      if (r > 0) asm volatile("bar.sync 2, 64;" ::: "memory");
      buffer[lane] = in[r * 32 + lane] * (r + 1);
      asm volatile("bar.sync 1, 64;" ::: "memory");
    }
  } else if (warp == 1) {
    int sum = 0;
    for (int r = 0; r < rounds; ++r) {
      asm volatile("bar.sync 1, 64;" ::: "memory");
      sum += buffer[31 - lane];
      if (r + 1 < rounds) asm volatile("bar.sync 2, 64;" ::: "memory");
    }
    out[lane] = sum;
  } else {
    out[threadIdx.x - 32] = warp;
  }
}

// Atomics of every kind on words of every width.
extern "C" __global__ void all_atomics(const int* in, int n, int* words, unsigned long long* longs, float* floats,
                                       double* doubles) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int v = in[i];
  atomicAdd(&words[0], v);
  atomicSub(&words[1], v);
  atomicMin(&words[2], v);
  atomicMax(&words[3], v);
  atomicAnd(&words[4], v | 0xff00);
  atomicOr(&words[5], v);
  atomicXor(&words[6], v);
  atomicInc((unsigned*)&words[7], 12);
  atomicDec((unsigned*)&words[8], 9);
  atomicAdd(&longs[0], (unsigned long long)(long long)v * 1000003);
  atomicMin(&longs[1], (unsigned long long)v);
  atomicMax((long long*)&longs[2], (long long)v << 33);
  atomicXor(&longs[3], 1ull << (v & 63));
  atomicAdd(&floats[0], (float)(v & 255));
  atomicAdd(&doubles[0], v * 0.25);
  // A maximum of floats by compare-and-swap.
  int* as_int = (int*)&floats[1];
  int old = *(volatile int*)as_int, assumed;
  float f = v * 0.5f;
  do {
    assumed = old;
    if (__int_as_float(assumed) >= f) break;
    old = atomicCAS(as_int, assumed, __float_as_int(f));
  } while (assumed != old);
}
