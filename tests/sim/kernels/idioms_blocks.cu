// Idioms that order blocks, or let them exclude one another.
#include "idioms.hpp"

// ---- one block sends, the other receives ----

IDIOM(message_volatile) {
  if (!is_leader()) return;
  if (blockIdx.x == 0) {
    data[0] = 1;
    if (kRight) __threadfence();
    write_volatile(flags, 1);
  } else {
    while (read_volatile(flags) == 0) {
    }
    __threadfence();
    out[0] = data[0];
  }
}
IDIOM(message_release) {
  if (!is_leader()) return;
  if (blockIdx.x == 0) {
    data[0] = 1;
    kRight ? store_release(flags, 1) : store_relaxed(flags, 1);
  } else {
    while (load_acquire(flags) == 0) {
    }
    out[0] = data[0];
  }
}
IDIOM(message_scope) {  // of the block is too narrow
  if (!is_leader()) return;
  if (blockIdx.x == 0) {
    data[0] = 1;
    kRight ? store_release(flags, 1) : store_release_block(flags, 1);
  } else {
    while (load_acquire(flags) == 0) {
    }
    out[0] = data[0];
  }
}
IDIOM(message_exchange) {
  if (!is_leader()) return;
  if (blockIdx.x == 0) {
    data[0] = 1;
    if (kRight) __threadfence();
    atomicExch(flags, 1);
  } else {
    while (atomicAdd(flags, 0) == 0) {
    }
    __threadfence();
    out[0] = data[0];
  }
}
IDIOM(message_reduction) {
  if (!is_leader()) return;
  if (blockIdx.x == 0) {
    data[0] = 1;
    if (kRight) fence_gpu();
    add_relaxed(flags, 1);
  } else {
    while (load_relaxed(flags) == 0) {
    }
    fence_gpu();
    out[0] = data[0];
  }
}
IDIOM(message_fence_of_block) {  // __threadfence_block() orders nothing between blocks
  if (!is_leader()) return;
  if (blockIdx.x == 0) {
    data[0] = 1;
    if (kRight)
      __threadfence();
    else
      __threadfence_block();
    write_volatile(flags, 1);
  } else {
    while (read_volatile(flags) == 0) {
    }
    __threadfence();
    out[0] = data[0];
  }
}
IDIOM(message_of_all_threads) {  // each fences, a barrier, one tells
  if (blockIdx.x == 0) {
    data[threadIdx.x] = 1;
    if (kRight) __threadfence();
    __syncthreads();
    if (is_leader()) write_volatile(flags, 1);
  } else {
    if (is_leader())
      while (read_volatile(flags) == 0) {
      }
    __syncthreads();
    out[threadIdx.x] = data[threadIdx.x];
  }
}
IDIOM(message_before_barrier) {  // a barrier, then one fences and tells
  if (blockIdx.x == 0) {
    data[threadIdx.x] = 1;
    if (kRight) __syncthreads();
    if (is_leader()) {
      __threadfence();
      write_volatile(flags, 1);
    }
  } else {
    if (is_leader())
      while (read_volatile(flags) == 0) {
      }
    __syncthreads();
    out[threadIdx.x] = data[threadIdx.x];
  }
}
IDIOM(message_behind_barrier) {  // the others of the receiving block wait for the one that polls
  if (blockIdx.x == 0) {
    data[threadIdx.x] = 1;
    __syncthreads();
    if (is_leader()) {
      __threadfence();
      write_volatile(flags, 1);
    }
  } else {
    if (is_leader())
      while (read_volatile(flags) == 0) {
      }
    if (kRight) __syncthreads();

    out[threadIdx.x] = data[threadIdx.x];
  }
}
IDIOM(chain_of_messages) {  // from 0 to 1 to 2
  if (!is_leader()) return;
  if (blockIdx.x == 0) {
    data[0] = 1;
    store_release(flags, 1);
  } else if (blockIdx.x == 1) {
    while (load_acquire(flags) == 0) {
    }
    kRight ? store_release(flags + 1, 1) : store_relaxed(flags + 1, 1);
  } else if (blockIdx.x == 2) {
    while (load_acquire(flags + 1) == 0) {
    }
    out[0] = data[0];
  }
}
IDIOM(chain_of_atomics) {  // an atomic passes on what was released before it, a store ends that
  if (!is_leader()) return;
  if (blockIdx.x == 0) {
    data[0] = 1;
    store_release(flags, 1);
  } else if (blockIdx.x == 1) {
    while (load_relaxed(flags) == 0) {
    }
    if (kRight)
      atomicAdd(flags, 1);
    else
      store_relaxed(flags, 2);
  } else if (blockIdx.x == 2) {
    while (load_acquire(flags) != 2) {
    }
    out[0] = data[0];
  }
}
IDIOM(initialise_once) {  // who comes first makes what all use
  if (!is_leader()) return;
  if (atomicCAS(flags, 0, 1) == 0) {
    data[0] = 1;
    kRight ? store_release(flags, 2) : store_relaxed(flags, 2);
  } else {
    while (load_acquire(flags) != 2) {
    }
  }
  out[blockIdx.x] = data[0];
}
IDIOM(ring) {  // of two places, from block 0 to block 1: flags[0] is filled up to, flags[1] emptied up to
  if (!is_leader()) return;
  for (int i = 0; i < 8; ++i) {
    if (blockIdx.x == 0) {
      while (load_acquire(flags + 1) + 2 <= i) {
      }
      data[i % 2] = i;
      store_release(flags, i + 1);
    } else {
      while (load_acquire(flags) <= i) {
      }
      out[i] = data[i % 2];
      kRight ? store_release(flags + 1, i + 1) : store_relaxed(flags + 1, i + 1);
    }
  }
}

// ---- locks ----

// Marlin and vLLM: blocks take turns in adding to a tile; the last one sets the lock back by a plain store.
IDIOM(turns_with_reset) {
  if (is_leader())
    while (load_acquire(flags) != blockIdx.x) {
    }
  __syncthreads();
  data[threadIdx.x] += 1;
  __syncthreads();
  if (!is_leader()) return;
  if (blockIdx.x == gridDim.x - 1) {
    flags[0] = 0;
  } else {
    if (kRight) fence_gpu();
    add_relaxed(flags, 1);
  }
}
// The reset is ordered by the acquire load that has seen the others' atomics.
IDIOM(reset_of_a_counter) {
  if (!is_leader()) return;
  if (blockIdx.x == 1) {
    add_relaxed(flags, 1);
  } else {
    if (kRight)
      while (load_acquire(flags) != 1) {
      }
    flags[0] = 0;
  }
}
// CUTLASS's semaphore for split-K: slices add to a tile in their order.
IDIOM(semaphore_of_slices) {
  if (is_leader())
    while (load_acquire(flags) != blockIdx.x) {
    }
  __syncthreads();
  data[threadIdx.x] += 1;
  if (kRight) __syncthreads();
  if (is_leader()) store_release(flags, blockIdx.x + 1);
}
IDIOM(spin_lock_exchange) {
  if (!is_leader()) return;
  while (atomicCAS(flags, 0, 1) != 0) {
  }
  __threadfence();
  data[0] += 1;
  if (kRight) __threadfence();
  atomicExch(flags, 0);
}
IDIOM(spin_lock_volatile) {
  if (!is_leader()) return;
  while (atomicCAS(flags, 0, 1) != 0) {
  }
  __threadfence();
  data[0] += 1;
  if (kRight) __threadfence();
  write_volatile(flags, 0);
}
IDIOM(spin_lock_acquire) {
  if (!is_leader()) return;
  int old;
  do {
    asm volatile("atom.acquire.gpu.global.cas.b32 %0, [%1], 0, 1;" : "=r"(old) : "l"(flags) : "memory");
  } while (old != 0);
  data[0] += 1;
  kRight ? store_release(flags, 0) : store_relaxed(flags, 0);
}
IDIOM(lock_of_all_threads) {  // taken by one thread for its block
  if (is_leader()) {
    while (atomicCAS(flags, 0, 1) != 0) {
    }
    __threadfence();
  }
  __syncthreads();
  data[threadIdx.x] += 1;
  if (kRight) __syncthreads();
  if (is_leader()) {
    __threadfence();
    atomicExch(flags, 0);
  }
}
IDIOM(ticket_lock) {
  if (!is_leader()) return;
  const int own = atomicAdd(flags, 1);
  while (read_volatile(flags + 1) != own) {
  }
  __threadfence();
  data[0] += 1;
  if (kRight) __threadfence();
  write_volatile(flags + 1, own + 1);
}
IDIOM(peterson) {
  if (!is_leader() || blockIdx.x > 1) return;
  const int own = blockIdx.x, other = 1 - own;
  write_volatile(flags + own, 1);
  write_volatile(flags + 2, other);
  __threadfence();
  while (read_volatile(flags + other) == 1 && read_volatile(flags + 2) == other) {
  }
  __threadfence();
  data[0] += 1;
  if (kRight) __threadfence();
  write_volatile(flags + own, 0);
}
// The reader takes what it likes while a writer may be at it, so all it reads has to be strong.
IDIOM(sequence_lock) {
  if (!is_leader()) return;
  if (blockIdx.x == gridDim.x - 1) {
    for (int i = 1; i <= 4; ++i) {
      write_volatile(flags, 2 * i - 1);
      __threadfence();
      ((volatile float*)data)[0] = i;
      ((volatile float*)data)[1] = i;
      __threadfence();
      write_volatile(flags, 2 * i);
    }
  } else {
    int before;
    float first, second;
    do {
      before = read_volatile(flags);
      __threadfence();
      if (kRight) {
        first = ((volatile float*)data)[0];
        second = ((volatile float*)data)[1];
      } else {
        first = data[0];
        second = data[1];
      }
      __threadfence();
    } while (before % 2 != 0 || before != read_volatile(flags));
    out[blockIdx.x] = first - second;
  }
}
