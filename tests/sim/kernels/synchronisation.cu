// Lanes and warps that wait for one another: correct code, and one bug each.
constexpr unsigned kAll = 0xffffffffU;

__device__ unsigned lane_id() { return threadIdx.x % 32; }

extern "C" __global__ void shuffle_in_branches(const int* in, int* out) {
  int v = in[threadIdx.x];
  if (threadIdx.x & 1)
    v = 2 * v + __shfl_sync(kAll, v, 4);
  else
    v = 5 - __shfl_sync(kAll, v + 100, 7);
  out[threadIdx.x] = v;
}

extern "C" __global__ void vote_in_branches(unsigned* out) {
  unsigned result;
  if (lane_id() < 20)
    result = __ballot_sync(kAll, lane_id() > 8) + 1;
  else
    result = __ballot_sync(kAll, lane_id() < 30) ^ 5;
  out[threadIdx.x] = result;
}

extern "C" __global__ void reduce_in_branches(unsigned* out) {
  unsigned result;
  if (lane_id() % 3 == 0)
    result = __reduce_add_sync(kAll, lane_id()) * 3;
  else
    result = __reduce_add_sync(kAll, 1000U) + 7;
  out[threadIdx.x] = result;
}

extern "C" __global__ void hand_over_in_branches(int* out) {
  __shared__ int box[32];
  if (lane_id() < 16) {
    box[lane_id()] = 3 * lane_id();
    __syncwarp();
    out[lane_id()] = -1;
  } else {
    __syncwarp();
    out[lane_id()] = box[31 - lane_id()];
  }
}

extern "C" __global__ void tiles_of_eight(const int* in, int* out) {
  const unsigned mask = 0xffU << (lane_id() & 24U);
  int v = in[threadIdx.x];
  for (int offset = 4; offset > 0; offset /= 2) v += __shfl_xor_sync(mask, v, offset);
  out[threadIdx.x] = v;
}

extern "C" __global__ void tiles_in_loops(int* out) {
  // Each group of eight lanes goes round a number of times of its own.
  const unsigned mask = 0xffU << (lane_id() & 24U);
  int v = lane_id();
  for (unsigned i = 0; i <= lane_id() / 8; ++i) v = __shfl_sync(mask, v, lane_id() + 1, 8);
  out[threadIdx.x] = v;
}

extern "C" __global__ void partial_warp(const int* in, int* out, int n) {
  const unsigned mask = __ballot_sync(kAll, threadIdx.x < n);
  if (threadIdx.x < n) {
    int v = in[threadIdx.x];
    for (int offset = 16; offset > 0; offset /= 2) {
      const int other = __shfl_down_sync(mask, v, offset);
      if (threadIdx.x + offset < n) v += other;
    }
    if (threadIdx.x == 0) out[0] = v;
  }
}

extern "C" __global__ void leave_and_shuffle(const int* in, int* out) {
  if (lane_id() >= 16) return;
  out[threadIdx.x] = __shfl_xor_sync(kAll, in[threadIdx.x], 8) + (__all_sync(kAll, lane_id() < 16) ? 1000 : 0);
}

extern "C" __global__ void leave_while_others_wait(int* out, volatile int* flag) {
  if (lane_id() >= 16) {
    while (flag[0] == 0) {
    }
    return;
  }
  if (lane_id() == 3) flag[0] = 1;
  __syncwarp();
  out[threadIdx.x] = 1;
}

extern "C" __global__ void mask_without_itself(const int* in, int* out) {
  out[threadIdx.x] = __shfl_sync(0xffffU, in[threadIdx.x], 0);  // [shuffle]
}

extern "C" __global__ void masks_that_differ(const int* in, int* out) {
  const unsigned mask = lane_id() < 16 ? kAll : 0xffff0000U;
  out[threadIdx.x] = __shfl_sync(mask, in[threadIdx.x], 16);  // [shuffle]
}

extern "C" __global__ void wait_for_absent_lanes(int* out) {
  if (lane_id() < 16) {
    __syncwarp();  // [warp]
    out[threadIdx.x] = 1;
  }
  __syncthreads();  // [block]
  out[threadIdx.x] = 2;
}

extern "C" __global__ void sum_of_short_warp(const int* in, int* out) {
  int v = in[threadIdx.x];
  v += __shfl_down_sync(kAll, v, 16);  // [shuffle]
  out[threadIdx.x] = v;
}

extern "C" __global__ void votes_of_block(const int* in, int* out) {
  const int v = in[threadIdx.x];
  const int count = __syncthreads_count(v > 3);
  const int all = __syncthreads_and(v > 0);
  const int any = __syncthreads_or(v > 90);
  out[threadIdx.x] = count + 1000 * (all != 0) + 2000 * (any != 0);
}

extern "C" __global__ void votes_of_two_warps(int* out) {
  int votes = -1;
  if (threadIdx.x >= 64)
    asm volatile("{ .reg .pred p; setp.ge.u32 p, %1, 100; bar.red.popc.u32 %0, 3, 64, p; }"
                 : "=r"(votes)
                 : "r"(threadIdx.x));
  out[threadIdx.x] = votes;
}

extern "C" __global__ void pipeline(const int* in, int* out, int rounds) {
  // Warps 0 and 1 fill a buffer that warps 2 and 3 empty; barrier 1: it is full, barrier 2: it is empty.
  __shared__ int buffer[64];
  const int t = threadIdx.x % 64;
  if (threadIdx.x < 64) {
    for (int i = 0; i < rounds; ++i) {
      asm volatile("bar.sync 2, 128;" ::: "memory");
      buffer[t] = in[i * 64 + t];
      asm volatile("bar.arrive 1, 128;" ::: "memory");
    }
  } else {
    for (int i = 0; i < rounds; ++i) {
      asm volatile("bar.arrive 2, 128;" ::: "memory");
      asm volatile("bar.sync 1, 128;" ::: "memory");
      out[i * 64 + t] = buffer[63 - t];
    }
  }
}

extern "C" __global__ void half_warp_barriers(int* out) {
  if (lane_id() < 16) {
    out[threadIdx.x] = 1;
    __syncthreads();  // [lower half]
    out[threadIdx.x] += 10;
  } else {
    out[threadIdx.x] = 2;
    __syncthreads();  // [upper half]
    out[threadIdx.x] += 20;
  }
}

extern "C" __global__ void warps_at_two_barriers(int* out) {
  if (threadIdx.x < 32) {
    out[threadIdx.x] = 1;
    __syncthreads();
    out[threadIdx.x] += 10;
  } else {
    out[threadIdx.x] = 2;
    __syncthreads();
    out[threadIdx.x] += 20;
  }
}

extern "C" __global__ void late_lanes(int* out, int* counter) {
  for (unsigned i = 0; i < 50 * lane_id(); ++i)
    if (atomicAdd(counter, 0) < 0) return;
  out[threadIdx.x] = 1;
  __syncthreads();
  out[threadIdx.x] += out[threadIdx.x ^ 1];
}

extern "C" __global__ void conditional_barrier(int* out, int n) {
  if (threadIdx.x < n) __syncthreads();  // [barrier]
  out[threadIdx.x] = 1;
}

extern "C" __global__ void two_barriers_crossed(int* out) {
  if (threadIdx.x < 32)
    asm volatile("bar.sync 1, 64;");  // [barrier 1]
  else
    asm volatile("bar.sync 2, 64;");  // [barrier 2]
  out[threadIdx.x] = 1;
}

extern "C" __global__ void barrier_of(int* out, int id, int count) {
  asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(count));  // [barrier]
  out[threadIdx.x] = 1;
}

extern "C" __global__ void counts_that_differ(int* out) {
  const int count = threadIdx.x < 32 ? 64 : 96;
  asm volatile("bar.sync 5, %0;" ::"r"(count));  // [barrier]
  out[threadIdx.x] = 1;
}
