// Idioms that order the warps of a block, or the lanes of a warp.
#include <cooperative_groups.h>

#include "idioms.hpp"

// ---- barriers of the block ----

IDIOM(tile_in_two_steps) {  // loaded, used, and only then loaded again
  __shared__ float tile[64];
  float sum = 0;
  for (int i = 0; i < 4; ++i) {
    tile[threadIdx.x] = data[i * 64 + threadIdx.x];
    __syncthreads();
    sum += tile[63 - threadIdx.x];
    if (kRight) __syncthreads();
  }
  out[threadIdx.x] = sum;
}
IDIOM(two_tiles_in_turn) {  // one barrier a step is enough for two buffers, and not for one
  __shared__ float tile[2][64];
  float sum = 0;
  for (int i = 0; i < 4; ++i) {
    float* to = tile[kRight ? i % 2 : 0];
    to[threadIdx.x] = data[i * 64 + threadIdx.x];
    __syncthreads();
    sum += to[63 - threadIdx.x];
  }
  out[threadIdx.x] = sum;
}
IDIOM(tree_reduction) {
  __shared__ float sums[64];
  sums[threadIdx.x] = data[threadIdx.x];
  __syncthreads();
  for (int half = 32; half > 0; half /= 2) {
    if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
    if (kRight) __syncthreads();
  }
  if (is_leader()) out[0] = sums[0];
}
IDIOM(sums_of_warps) {
  __shared__ float sums[2];
  float sum = data[threadIdx.x];
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffff, sum, offset);
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = sum;
  if (kRight) __syncthreads();
  if (is_leader()) out[0] = sums[0] + sums[1];
}
IDIOM(histogram_of_a_block) {
  __shared__ int bins[64];
  bins[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&bins[(threadIdx.x * 7) % 64], 1);
  if (kRight) __syncthreads();
  atomicAdd(&flags[threadIdx.x], bins[threadIdx.x]);
}
IDIOM(vote_of_a_block) {  // __syncthreads_or is a barrier, a vote of a warp is none
  __shared__ float shared[64];
  shared[threadIdx.x] = data[threadIdx.x];
  const int any = kRight ? __syncthreads_or(data[threadIdx.x] > 0) : __any_sync(0xffffffff, data[threadIdx.x] > 0);
  out[threadIdx.x] = shared[63 - threadIdx.x] + any;
}
IDIOM(exchange_in_global_memory) {
  data[threadIdx.x] = threadIdx.x;
  if (kRight) __syncthreads();
  out[threadIdx.x] = data[63 - threadIdx.x];
}
IDIOM(read_before_overwritten) {  // one reads what all are about to replace
  if (is_leader()) out[0] = data[63];
  if (kRight) __syncthreads();
  const float own = data[threadIdx.x];
  data[threadIdx.x] = 2 * own;
}
IDIOM(group_sync) {
  __shared__ float shared[64];
  const auto block = cooperative_groups::this_thread_block();
  shared[threadIdx.x] = data[threadIdx.x];
  if (kRight)
    block.sync();
  else
    cooperative_groups::tiled_partition<32>(block).sync();
  out[threadIdx.x] = shared[63 - threadIdx.x];
}

// ---- named barriers ----

IDIOM(named_barriers) {  // warp 0 fills, warp 1 uses: a barrier for full, one for empty
  __shared__ float tile[32];
  const int lane = threadIdx.x % 32;
  if (threadIdx.x < 32) {
    for (int i = 0; i < 4; ++i) {
      if (i != 0) asm volatile("bar.sync 2, 64;" ::: "memory");
      tile[lane] = data[i * 32 + lane];
      asm volatile("bar.arrive 1, 64;" ::: "memory");
    }
  } else {
    for (int i = 0; i < 4; ++i) {
      asm volatile("bar.sync 1, 64;" ::: "memory");
      if (!kRight && i != 3) asm volatile("bar.arrive 2, 64;" ::: "memory");  // says too early that it is empty
      out[i * 32 + lane] = tile[31 - lane];
      if (kRight && i != 3) asm volatile("bar.arrive 2, 64;" ::: "memory");
    }
  }
}
IDIOM(barrier_of_a_half) {  // two warps of four meet at a barrier of their own
  __shared__ float shared[128];
  const int half = threadIdx.x / 64;
  shared[threadIdx.x] = data[threadIdx.x];
  if (kRight) asm volatile("bar.sync %0, 64;" ::"r"(1 + half) : "memory");
  out[threadIdx.x] = shared[half * 64 + 63 - threadIdx.x % 64];
}

// ---- barriers in shared memory ----

__device__ inline unsigned address_of(const void* shared) { return (unsigned)__cvta_generic_to_shared(shared); }
__device__ inline void await(unsigned barrier, unsigned parity) {
  unsigned done = 0;
  while (done == 0)
    asm volatile("{\n.reg .pred p;\nmbarrier.test_wait.parity.shared.b64 p, [%1], %2;\nselp.u32 %0, 1, 0, p;\n}"
                 : "=r"(done)
                 : "r"(barrier), "r"(parity)
                 : "memory");
}
__device__ inline void arrive(unsigned barrier) {
  asm volatile("{\n.reg .b64 state;\nmbarrier.arrive.shared.b64 state, [%0];\n}" ::"r"(barrier) : "memory");
}
IDIOM(mbarrier_of_all) {
  __shared__ unsigned long long barrier;
  __shared__ float shared[64];
  const unsigned where = address_of(&barrier);
  if (is_leader()) asm volatile("mbarrier.init.shared.b64 [%0], 64;" ::"r"(where) : "memory");
  __syncthreads();
  shared[threadIdx.x] = data[threadIdx.x];
  arrive(where);
  if (kRight) await(where, 0);
  out[threadIdx.x] = shared[63 - threadIdx.x];
}
IDIOM(mbarriers_full_and_empty) {  // a pipeline of one stage between a producing and a consuming warp
  __shared__ unsigned long long full, empty;
  __shared__ float tile[32];
  const unsigned is_full = address_of(&full), is_empty = address_of(&empty);
  const int lane = threadIdx.x % 32;
  if (is_leader()) {
    asm volatile("mbarrier.init.shared.b64 [%0], 32;" ::"r"(is_full) : "memory");
    asm volatile("mbarrier.init.shared.b64 [%0], 32;" ::"r"(is_empty) : "memory");
  }
  __syncthreads();
  for (int i = 0; i < 4; ++i) {
    if (threadIdx.x < 32) {
      if (i != 0) await(is_empty, (i - 1) % 2);
      tile[lane] = data[i * 32 + lane];
      arrive(is_full);
    } else {
      await(is_full, i % 2);
      if (!kRight) arrive(is_empty);
      out[i * 32 + lane] = tile[31 - lane];
      if (kRight) arrive(is_empty);
    }
  }
}

// ---- asynchronous copies ----

__device__ inline void copy_word(float* to, const float* from) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(address_of(to)), "l"(from) : "memory");
}
IDIOM(copies_behind_barrier) {  // waiting makes a thread's own copies visible to it, the barrier to the others
  __shared__ float tile[64];
  copy_word(&tile[threadIdx.x], &data[threadIdx.x]);
  asm volatile("cp.async.commit_group;\ncp.async.wait_group 0;" ::: "memory");
  if (kRight) __syncthreads();
  out[threadIdx.x] = tile[63 - threadIdx.x];
}
IDIOM(copies_waited_for) {
  __shared__ float tile[64];
  copy_word(&tile[threadIdx.x], &data[threadIdx.x]);
  asm volatile("cp.async.commit_group;" ::: "memory");
  if (kRight) asm volatile("cp.async.wait_group 0;" ::: "memory");
  __syncthreads();
  out[threadIdx.x] = tile[63 - threadIdx.x];
}
IDIOM(copies_in_two_stages) {  // the stage that is refilled has been used by all
  __shared__ float tile[2][64];
  copy_word(&tile[0][threadIdx.x], &data[threadIdx.x]);
  asm volatile("cp.async.commit_group;" ::: "memory");
  float sum = 0;
  for (int i = 0; i < 4; ++i) {
    if (i < 3) copy_word(&tile[(i + 1) % 2][threadIdx.x], &data[(i + 1) * 64 + threadIdx.x]);
    asm volatile("cp.async.commit_group;\ncp.async.wait_group 1;" ::: "memory");
    __syncthreads();
    sum += tile[i % 2][63 - threadIdx.x];
    if (kRight) __syncthreads();
  }
  out[threadIdx.x] = sum;
}

// ---- flags and locks in shared memory ----

IDIOM(flag_between_warps) {
  __shared__ float value;
  __shared__ volatile int flag;
  if (is_leader()) flag = 0;
  __syncthreads();
  if (threadIdx.x == 0) {
    value = data[0];
    if (kRight) __threadfence_block();
    flag = 1;
  } else if (threadIdx.x == 32) {
    while (flag == 0) {
    }
    __threadfence_block();
    out[0] = value;
  }
}
IDIOM(lock_between_warps) {
  __shared__ float value;
  __shared__ int lock;
  if (is_leader()) {
    lock = 0;
    value = 0;
  }
  __syncthreads();
  if (threadIdx.x % 32 == 0) {
    while (atomicCAS(&lock, 0, 1) != 0) {
    }
    __threadfence_block();
    value += data[threadIdx.x];
    if (kRight) __threadfence_block();
    atomicExch(&lock, 0);
  }
  __syncthreads();
  if (is_leader()) out[0] = value;
}
IDIOM(last_warp) {  // the last to count itself adds up what the others have left
  __shared__ float values[4];
  __shared__ int arrived;
  if (is_leader()) arrived = 0;
  __syncthreads();
  if (threadIdx.x % 32 != 0) return;
  values[threadIdx.x / 32] = data[threadIdx.x];
  if (kRight) __threadfence_block();
  if (atomicAdd(&arrived, 1) != blockDim.x / 32 - 1) return;
  __threadfence_block();
  for (int i = 0; i < blockDim.x / 32; ++i) out[0] += values[i];
}

// ---- lanes of a warp ----

IDIOM(exchange_in_a_warp) {
  __shared__ float shared[32];
  shared[threadIdx.x] = data[threadIdx.x];
  if (kRight) __syncwarp();
  out[threadIdx.x] = shared[31 - threadIdx.x];
}
IDIOM(tree_in_a_warp) {  // reading and writing are apart
  __shared__ float sums[64];
  sums[threadIdx.x] = data[threadIdx.x];
  sums[threadIdx.x + 32] = 0;
  __syncwarp();
  for (int half = 16; half > 0; half /= 2) {
    const float other = sums[threadIdx.x + half];
    if (kRight) __syncwarp();
    sums[threadIdx.x] += other;
    __syncwarp();
  }
  if (is_leader()) out[0] = sums[0];
}
IDIOM(tile_of_a_group) {
  __shared__ float shared[32];
  const auto tile = cooperative_groups::tiled_partition<32>(cooperative_groups::this_thread_block());
  shared[tile.thread_rank()] = data[threadIdx.x];
  if (kRight) tile.sync();
  out[threadIdx.x] = shared[31 - tile.thread_rank()];
}
IDIOM(votes_order_lanes) {  // any warp-wide instruction does
  __shared__ float shared[32];
  shared[threadIdx.x] = data[threadIdx.x];
  unsigned positive = 0;
  if (kRight) positive = __ballot_sync(0xffffffff, data[threadIdx.x] > 0);
  out[threadIdx.x] = shared[31 - threadIdx.x] + positive;
}
