// Idioms in which all blocks of a grid take part: reductions, scans, barriers, queues.
#include <cooperative_groups.h>

#include <cuda/atomic>

#include "idioms.hpp"

// ---- the last block ----

IDIOM(last_block_increments) {
  __shared__ bool is_last;
  data[blockIdx.x * blockDim.x + threadIdx.x] = 1;
  if (kRight) __threadfence();
  __syncthreads();
  if (is_leader()) is_last = atomicInc((unsigned*)flags, gridDim.x - 1) == gridDim.x - 1;
  __syncthreads();
  if (!is_last) return;
  __threadfence();
  float sum = 0;
  for (int i = threadIdx.x; i < gridDim.x * blockDim.x; i += blockDim.x) sum += data[i];
  atomicAdd(out, sum);
}
IDIOM(last_block_resets) {
  if (!is_leader()) return;
  data[blockIdx.x] = 1;
  __threadfence();
  const bool is_last = atomicAdd(flags, 1) == gridDim.x - 1;
  if (kRight && !is_last) return;
  if (is_last) {
    __threadfence();
    for (int i = 0; i < gridDim.x; ++i) out[0] += data[i];
  }
  flags[0] = 0;
}
IDIOM(last_block_reads_volatile) {  // strong on both sides: no fence decides whether it is a race
  if (!is_leader()) return;
  if (kRight)
    ((volatile float*)data)[blockIdx.x] = 1;
  else
    data[blockIdx.x] = 1;
  if (kRight) __threadfence();
  if (atomicAdd(flags, 1) != gridDim.x - 1) return;
  float sum = 0;
  for (int i = 0; i < gridDim.x; ++i) sum += ((volatile float*)data)[i];
  out[0] = sum;
}
IDIOM(sum_of_blocks) {  // atomics need no fence, but their scope has to hold all blocks
  if (!is_leader()) return;
  if (kRight)
    atomicAdd(out, data[blockIdx.x]);
  else
    atomicAdd_block(out, data[blockIdx.x]);
}
IDIOM(largest_so_far) {  // read while others still add: by an atomic
  if (!is_leader()) return;
  atomicMax(flags, (int)blockIdx.x);
  out[blockIdx.x] = kRight ? atomicAdd(flags, 0) : flags[0];
}

// ---- scans and fix-ups ----

// CUB's decoupled look-back for small types: value and status travel in one word.
IDIOM(look_back_packed) {
  if (!is_leader()) return;
  auto* words = (unsigned long long*)flags;
  auto* values = (unsigned*)data + 1024;
  const unsigned own = 1;
  const auto publish = [&](unsigned status, unsigned value) {
    if (kRight) {
      *(volatile unsigned long long*)(words + blockIdx.x) = (unsigned long long)status << 32 | value;
    } else {
      values[blockIdx.x] = value;
      *(volatile unsigned long long*)(words + blockIdx.x) = (unsigned long long)status << 32;
    }
  };
  if (blockIdx.x != 0) publish(1, own);
  unsigned sum = 0;
  for (int i = int(blockIdx.x) - 1; i >= 0;) {
    const auto word = *(volatile unsigned long long*)(words + i);
    const auto status = (unsigned)(word >> 32);
    if (status == 0) continue;
    sum += kRight ? (unsigned)word : values[i];
    if (status == 2) break;
    --i;
  }
  publish(2, sum + own);
  out[blockIdx.x] = sum;
}
// CUB's decoupled look-back for large types: aggregate and prefix in arrays of their own.
IDIOM(look_back_released) {
  if (!is_leader()) return;
  float *aggregates = data + 1024, *prefixes = data + 2048;
  const auto publish = [&](int status) {
    kRight ? store_release(flags + blockIdx.x, status) : store_relaxed(flags + blockIdx.x, status);
  };
  aggregates[blockIdx.x] = 1;
  if (blockIdx.x != 0) publish(1);
  float sum = 0;
  for (int i = int(blockIdx.x) - 1; i >= 0;) {
    const int status = load_acquire(flags + i);
    if (status == 0) continue;
    sum += status == 2 ? prefixes[i] : aggregates[i];
    if (status == 2) break;
    --i;
  }
  prefixes[blockIdx.x] = sum + 1;
  publish(2);
  out[blockIdx.x] = sum;
}
// Stream-K: the block that owns a tile waits for all that worked on parts of it.
IDIOM(stream_k_fix_up) {
  const int tile = blockIdx.x / 4, part = blockIdx.x % 4;
  float* partials = data + 1024;
  if (part != 0) {
    partials[blockIdx.x * blockDim.x + threadIdx.x] = part;
    __syncthreads();
    if (is_leader()) {
      if (kRight)
        add_release(flags + tile, 1);
      else
        add_relaxed(flags + tile, 1);
    }
    return;
  }
  if (is_leader())
    while (load_acquire(flags + tile) != 3) {
    }
  __syncthreads();
  float sum = 0;
  for (int i = 1; i < 4; ++i) sum += partials[(blockIdx.x + i) * blockDim.x + threadIdx.x];
  out[tile * blockDim.x + threadIdx.x] = sum;
}
IDIOM(split_k_last_slice) {  // the last to arrive adds up the workspace
  __shared__ int arrived;
  data[blockIdx.x * blockDim.x + threadIdx.x] = 1;
  if (kRight) __syncthreads();
  if (is_leader()) {
    __threadfence();
    arrived = atomicAdd(flags, 1);
    __threadfence();
  }
  __syncthreads();
  if (arrived != gridDim.x - 1) return;
  float sum = 0;
  for (int i = 0; i < gridDim.x; ++i) sum += data[i * blockDim.x + threadIdx.x];
  out[threadIdx.x] = sum;
}

// ---- barriers of the grid ----

__device__ inline float neighbour(const float* data) {
  return data[(blockIdx.x + 1) % gridDim.x * blockDim.x + threadIdx.x];
}
IDIOM(grid_sync) {
  data[blockIdx.x * blockDim.x + threadIdx.x] = 1;
  if (kRight)
    cooperative_groups::this_grid().sync();
  else
    cooperative_groups::this_thread_block().sync();
  out[blockIdx.x * blockDim.x + threadIdx.x] = neighbour(data);
}
IDIOM(grid_barrier_counts) {
  data[blockIdx.x * blockDim.x + threadIdx.x] = 1;
  __syncthreads();
  if (is_leader()) {
    if (kRight) __threadfence();
    atomicAdd(flags, 1);
    while (read_volatile(flags) != gridDim.x) {
    }
    __threadfence();
  }
  __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] = neighbour(data);
}
IDIOM(grid_barrier_of_warps) {  // the barrier in front collects the other warps' writes
  data[blockIdx.x * blockDim.x + threadIdx.x] = 1;
  if (kRight) __syncthreads();
  if (is_leader()) {
    __threadfence();
    atomicAdd(flags, 1);
    while (read_volatile(flags) != gridDim.x) {
    }
    __threadfence();
  }
  __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] = neighbour(data);
}
IDIOM(grid_barrier_with_sense) {  // the last to arrive opens it for the others, and it can be used again
  for (int round = 0; round < 3; ++round) {
    float* to = round % 2 == 0 ? data : out;
    const float* from = round % 2 == 0 ? out : data;
    to[blockIdx.x * blockDim.x + threadIdx.x] = neighbour(from) + 1;
    __syncthreads();
    if (is_leader()) {
      const int sense = read_volatile(flags + 1);
      if (kRight) __threadfence();
      if (atomicAdd(flags, 1) == gridDim.x - 1) {
        write_volatile(flags, 0);
        __threadfence();
        write_volatile(flags + 1, sense + 1);
      } else {
        while (read_volatile(flags + 1) == sense) {
        }
      }
      __threadfence();
    }
    __syncthreads();
  }
}
IDIOM(flag_of_each_block) {  // block 0 collects a flag of each block and answers: no atomics
  data[blockIdx.x * blockDim.x + threadIdx.x] = 1;
  __syncthreads();
  if (blockIdx.x == 0) {
    for (int i = threadIdx.x; i < gridDim.x; i += blockDim.x)
      if (i != 0)
        while (load_acquire(flags + i) == 0) {
        }
    if (kRight) __syncthreads();
    if (threadIdx.x == blockDim.x - 1) store_release(flags + 512, 1);
  } else if (is_leader()) {
    store_release(flags + blockIdx.x, 1);
    while (load_acquire(flags + 512) == 0) {
    }
  }
  __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] = neighbour(data);
}

// ---- queues ----

IDIOM(queue_of_work) {  // each writes its item, then announces it; whoever takes a number waits for that item
  if (!is_leader()) return;
  const int place = atomicAdd(flags, 1);
  data[place] = blockIdx.x;
  if (kRight) __threadfence();
  write_volatile(flags + 16 + place, 1);
  const int taken = gridDim.x - 1 - place;
  while (read_volatile(flags + 16 + taken) == 0) {
  }
  __threadfence();
  out[taken] = data[taken];
}
IDIOM(stop_flag) {  // all look now and then whether one has set it
  if (!is_leader()) return;
  if (blockIdx.x == 0) {
    if (kRight)
      write_volatile(flags, 1);
    else
      flags[0] = 1;
  }
  out[blockIdx.x] = read_volatile(flags);
}

// ---- libcu++ ----

IDIOM(atomic_ref_message) {
  if (!is_leader()) return;
  cuda::atomic_ref<int, cuda::thread_scope_device> flag(flags[0]);
  if (blockIdx.x == 0) {
    data[0] = 1;
    flag.store(1, kRight ? cuda::memory_order_release : cuda::memory_order_relaxed);
  } else {
    while (flag.load(cuda::memory_order_acquire) == 0) {
    }
    out[0] = data[0];
  }
}
IDIOM(atomic_ref_scope) {
  if (!is_leader()) return;
  cuda::atomic_ref<int, kRight ? cuda::thread_scope_device : cuda::thread_scope_block> flag(flags[0]);
  if (blockIdx.x == 0) {
    data[0] = 1;
    flag.fetch_add(1, cuda::memory_order_acq_rel);
  } else {
    while (flag.load(cuda::memory_order_acquire) == 0) {
    }
    out[0] = data[0];
  }
}
IDIOM(atomic_ref_lock) {
  if (!is_leader()) return;
  cuda::atomic_ref<int, cuda::thread_scope_device> lock(flags[0]);
  while (lock.exchange(1, cuda::memory_order_acquire) != 0) {
  }
  data[0] += 1;
  lock.store(0, kRight ? cuda::memory_order_release : cuda::memory_order_relaxed);
}
IDIOM(atomic_thread_fence) {
  if (!is_leader()) return;
  cuda::atomic_ref<int, cuda::thread_scope_device> flag(flags[0]);
  if (blockIdx.x == 0) {
    data[0] = 1;
    if (kRight) cuda::atomic_thread_fence(cuda::memory_order_release, cuda::thread_scope_device);
    flag.store(1, cuda::memory_order_relaxed);
  } else {
    while (flag.load(cuda::memory_order_relaxed) == 0) {
    }
    cuda::atomic_thread_fence(cuda::memory_order_acquire, cuda::thread_scope_device);
    out[0] = data[0];
  }
}
