// Threads that wait in loops for one another: locks, flags, barriers between blocks, and loops that never end.

extern "C" __global__ void naive_lock(int* lock, int* count) {
  // All lanes of a warp want the same lock; the one that has it waits for nobody.
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  *(volatile int*)count = *(volatile int*)count + 1;
  __threadfence();
  atomicExch(lock, 0);
}

extern "C" __global__ void lock_in_loop(int* lock, int* count) {
  for (bool done = false; !done;) {
    if (atomicCAS(lock, 0, 1) == 0) {
      *(volatile int*)count = *(volatile int*)count + 1;
      __threadfence();
      atomicExch(lock, 0);
      done = true;
    }
  }
}

extern "C" __global__ void shared_lock(int* out) {
  __shared__ int lock;
  __shared__ volatile int count;
  if (threadIdx.x == 0) {
    lock = 0;
    count = 0;
  }
  __syncthreads();
  unsigned tries = 0;
  while (atomicCAS(&lock, 0, 1) != 0) ++tries;  // a loop that counts
  count = count + 1;
  __threadfence_block();
  atomicExch(&lock, 0);
  __syncthreads();
  if (threadIdx.x == 0) out[0] = count;
  out[1 + threadIdx.x] = tries < 0x7fffffff;
}

extern "C" __global__ void ticket_lock(unsigned* tickets, int* count) {
  if (threadIdx.x == 0) {
    const unsigned mine = atomicAdd(&tickets[0], 1);
    while (atomicAdd(&tickets[1], 0) != mine) __nanosleep(64);
    *(volatile int*)count = *(volatile int*)count + 1;
    __threadfence();
    atomicAdd(&tickets[1], 1);
  }
}

extern "C" __global__ void lanes_hand_over(int* out) {
  // Lane i waits for lane i + 1.
  __shared__ volatile int box[33];
  const int lane = threadIdx.x;
  box[lane] = -1;
  if (lane == 31) box[32] = 100;
  __syncwarp();
  while (box[lane + 1] < 0) {
  }
  const int value = box[lane + 1] + 1;
  box[lane] = value;
  out[lane] = value;
}

extern "C" __global__ void warps_hand_over(int* out) {
  __shared__ volatile int flag[32];
  const int warp = threadIdx.x / 32, warps = blockDim.x / 32;
  if (threadIdx.x < 32) flag[threadIdx.x] = 0;
  __syncthreads();
  if (threadIdx.x % 32 == 0) {
    if (warp != warps - 1)
      while (flag[warp + 1] == 0) {
      }
    const int value = (warp == warps - 1 ? 0 : flag[warp + 1]) + 1;
    out[warp] = value;
    flag[warp] = value;
  }
}

extern "C" __global__ void wait_for_last_block(volatile int* flag, int* out) {
  if (blockIdx.x == gridDim.x - 1) {
    flag[0] = 7;
  } else {
    while (flag[0] == 0) {
    }
  }
  if (threadIdx.x == 0) out[blockIdx.x] = flag[0];
}

// kind 0: atomic polling, 1: volatile polling, 2: sleeping, 3: counting
template <int kKind>
__device__ void barrier_of_grid(unsigned* arrived, unsigned target) {
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    atomicAdd(arrived, 1);
    if (kKind == 0)
      while (atomicAdd(arrived, 0) < target) {
      }
    if (kKind == 1)
      while (*(volatile unsigned*)arrived < target) {  // [wait]
      }
    unsigned pause = 8;
    if (kKind == 2)
      while (*(volatile unsigned*)arrived < target) {
        __nanosleep(pause);
        pause = pause < 256 ? 2 * pause : pause;
      }
    unsigned polls = 0;
    if (kKind == 3) {
      while (*(volatile unsigned*)arrived < target) ++polls;
      if (polls == 0xffffffff) *arrived = 0;
    }
    __threadfence();
  }
  __syncthreads();
}

template <int kKind>
__device__ void rounds_of_grid(unsigned* arrived, int* values, int rounds) {
  const int left = (blockIdx.x + gridDim.x - 1) % gridDim.x;
  for (int i = 0; i < rounds; ++i) {
    const int next = values[left] + 1;
    barrier_of_grid<kKind>(arrived, (2 * i + 1) * gridDim.x);
    if (threadIdx.x == 0) values[blockIdx.x] = next;
    barrier_of_grid<kKind>(arrived, (2 * i + 2) * gridDim.x);
  }
}

extern "C" __global__ void grid_atomic(unsigned* arrived, int* values, int rounds) {
  rounds_of_grid<0>(arrived, values, rounds);
}
extern "C" __global__ void grid_volatile(unsigned* arrived, int* values, int rounds) {
  rounds_of_grid<1>(arrived, values, rounds);
}
extern "C" __global__ void grid_sleeping(unsigned* arrived, int* values, int rounds) {
  rounds_of_grid<2>(arrived, values, rounds);
}
extern "C" __global__ void grid_counting(unsigned* arrived, int* values, int rounds) {
  rounds_of_grid<3>(arrived, values, rounds);
}

extern "C" __global__ void look_back(const int* in, int* out, volatile int* sums, int* next) {
  // One thread per block: sums[b] is the sum up to block b, plus 1; 0 while it is not known. Blocks take their numbers
  // as they come.
  const int block = atomicAdd(next, 1);
  int before = 0;
  if (block > 0) {
    int sum;
    do {
      sum = sums[block - 1];
    } while (sum == 0);
    before = sum - 1;
  }
  out[block] = before + in[block];
  __threadfence();
  sums[block] = before + in[block] + 1;
}

extern "C" __global__ void wait_on_plain_flag(int* flag, int* out) {
  while (flag[0] == 0) {  // [wait]
  }
  out[threadIdx.x] = 1;
}

extern "C" __global__ void store_for_ever(volatile int* out) {
  for (;;) out[threadIdx.x] = out[threadIdx.x] + 1;  // [store]
}

extern "C" __global__ void lock_taken_twice(int* lock, int* out) {
  if (threadIdx.x == 0) {
    while (atomicCAS(lock, 0, 1) != 0) {
    }
    while (atomicCAS(lock, 0, 1) != 0) {  // [lock]
    }
    out[0] = 1;
  }
  __syncthreads();  // [barrier]
  out[threadIdx.x] += 1;
}

extern "C" __global__ void wait_for_time(long long cycles, long long* out) {
  const long long start = clock64();
  while (clock64() - start < cycles) {
  }
  long long before, after;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(before));
  do {
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(after));
  } while (after - before < cycles);
  out[threadIdx.x] = clock64() - start;
}

extern "C" __global__ void clocks_of_work(unsigned* out, const float* in, int n) {
  const unsigned start = clock();
  float sum = 0;
  for (int i = 0; i < n; ++i) sum += in[i];
  const unsigned end = clock();
  out[threadIdx.x] = end - start;
  if (sum == -1) out[threadIdx.x] = 0;
}
