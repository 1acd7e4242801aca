// Races in global memory, one bug a kernel, each beside a kernel that looks alike and is right.
extern "C" __global__ void stencil_in_place(float* a, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > 0 && i < n - 1) a[i] = 0.5f * a[i - 1] + 0.5f * a[i + 1];  // [smooth]
}
extern "C" __global__ void stencil(const float* a, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > 0 && i < n - 1) out[i] = 0.5f * a[i - 1] + 0.5f * a[i + 1];
}
extern "C" __global__ void scale_in_place(float* a, float* out, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) a[i] = 2 * a[i] + 1;
}
extern "C" __global__ void sum_plain(const float* a, float* out, int n) {
  __shared__ float sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  atomicAdd(&sum, a[blockIdx.x * blockDim.x + threadIdx.x]);
  __syncthreads();
  if (threadIdx.x == 0) out[0] += sum;  // [add]
}
extern "C" __global__ void sum_atomic(const float* a, float* out, int n) {
  __shared__ float sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  atomicAdd(&sum, a[blockIdx.x * blockDim.x + threadIdx.x]);
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(&out[0], sum);
}
extern "C" __global__ void transpose_in_place(float* a, float* out, int n) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  const float value = a[y * n + x];  // [read]
  a[x * n + y] = value;              // [write]
}
extern "C" __global__ void transpose(const float* a, float* out, int n) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  out[x * n + y] = a[y * n + x];
}
extern "C" __global__ void set_flag(const float* a, float* out, int n) {
  if (a[blockIdx.x * blockDim.x + threadIdx.x] > 0) out[0] = 1;
}
extern "C" __global__ void clamped(const float* a, float* out, int n) {
  const int i = min(int(blockIdx.x * blockDim.x + threadIdx.x), n - 1);
  out[i] = 2 * a[i];
}
extern "C" __global__ void last_block_wins(const float* a, float* out, int n) {
  out[threadIdx.x] = blockIdx.x;  // [write]
}
extern "C" __global__ void halves_of_a_block(float* a, float* out, int n) {
  const int base = blockIdx.x * blockDim.x;
  out[base + threadIdx.x] = a[base + threadIdx.x];                   // [write]
  a[base + threadIdx.x] = out[base + blockDim.x - 1 - threadIdx.x];  // [read]
}
extern "C" __global__ void halves_with_barrier(float* a, float* out, int n) {
  const int base = blockIdx.x * blockDim.x;
  out[base + threadIdx.x] = a[base + threadIdx.x];
  __syncthreads();
  a[base + threadIdx.x] = out[base + blockDim.x - 1 - threadIdx.x];
}

__device__ unsigned int arrived;

// The last block to arrive adds up what the others have left.
template <bool kFence>
__device__ void reduce(const float* a, float* out, int n) {
  __shared__ bool is_last;
  __shared__ float sums[256];
  sums[threadIdx.x] = a[blockIdx.x * blockDim.x + threadIdx.x];
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    out[1 + blockIdx.x] = sums[0];  // [publish]
    if (kFence) __threadfence();
    is_last = atomicInc(&arrived, gridDim.x) == gridDim.x - 1;
  }
  __syncthreads();
  if (is_last) {
    float sum = 0;
    for (int i = threadIdx.x; i < gridDim.x; i += blockDim.x) sum += out[1 + i];  // [collect]
    sums[threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
      float total = 0;
      for (int i = 0; i < blockDim.x; ++i) total += sums[i];
      out[0] = total;
      arrived = 0;
    }
  }
}
extern "C" __global__ void reduce_last_block(const float* a, float* out, int n) { reduce<true>(a, out, n); }
extern "C" __global__ void reduce_without_fence(const float* a, float* out, int n) { reduce<false>(a, out, n); }

__device__ volatile int status[64];
__device__ float aggregates[64], prefixes[64];

// Each block looks back at those before it until one of them knows the sum so far.
template <bool kFence>
__device__ void scan(const float* a, float* out, int n) {
  __shared__ float before;
  if (threadIdx.x == 0) {
    float own = 0;
    for (int i = 0; i < blockDim.x; ++i) own += a[blockIdx.x * blockDim.x + i];
    aggregates[blockIdx.x] = own;
    if (kFence) __threadfence();
    if (blockIdx.x != 0) status[blockIdx.x] = 1;
    float sum = 0;
    for (int i = int(blockIdx.x) - 1; i >= 0;) {
      const int now = status[i];
      if (now == 0) continue;
      __threadfence();
      sum += now == 2 ? prefixes[i] : aggregates[i];
      if (now == 2) break;
      --i;
    }
    prefixes[blockIdx.x] = sum + own;
    if (kFence) __threadfence();
    status[blockIdx.x] = 2;
    before = sum;
  }
  __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] = before + a[blockIdx.x * blockDim.x + threadIdx.x];
}
extern "C" __global__ void look_back(const float* a, float* out, int n) { scan<true>(a, out, n); }
extern "C" __global__ void look_back_without_fence(const float* a, float* out, int n) { scan<false>(a, out, n); }

__device__ unsigned int at_barrier;

__device__ void grid_barrier(int round) {
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    atomicAdd(&at_barrier, 1);
    while (*(volatile unsigned int*)&at_barrier < gridDim.x * (round + 1)) {
    }
    __threadfence();
  }
  __syncthreads();
}
extern "C" __global__ void steps_with_grid_barrier(float* a, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int step = 0; step < 4; ++step) {
    float* from = step % 2 == 0 ? a : out;
    float* to = step % 2 == 0 ? out : a;
    to[i] = from[(i + 1) % n] + from[(i + n - 1) % n];
    grid_barrier(step);
  }
}
extern "C" __global__ void steps_with_block_barrier(float* a, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int step = 0; step < 4; ++step) {
    float* from = step % 2 == 0 ? a : out;
    float* to = step % 2 == 0 ? out : a;
    to[i] = from[(i + 1) % n] + from[(i + n - 1) % n];  // [step]
    __syncthreads();
  }
}

__device__ int next_ticket;

extern "C" __global__ void work_queue(const float* a, float* out, int n) {
  __shared__ int ticket;
  while (true) {
    if (threadIdx.x == 0) ticket = atomicAdd(&next_ticket, 1);
    __syncthreads();
    const int mine = ticket;
    __syncthreads();
    if (mine * blockDim.x >= n) break;
    out[mine * blockDim.x + threadIdx.x] = 2 * a[mine * blockDim.x + threadIdx.x];
  }
}
extern "C" __global__ void histogram(const float* a, int* out, int n) {
  atomicAdd(&out[int(a[blockIdx.x * blockDim.x + threadIdx.x]) % 16], 1);
}
extern "C" __global__ void histogram_read_early(const float* a, int* out, int n) {
  atomicAdd(&out[int(a[blockIdx.x * blockDim.x + threadIdx.x]) % 16], 1);  // [count]
  __syncthreads();
  if (threadIdx.x < 16) out[16 + blockIdx.x * 16 + threadIdx.x] = out[threadIdx.x];  // [read]
}
// The programming guide's own way to build an atomic: a plain read, then compare and swap.
extern "C" __global__ void maximum_by_swap(const float* a, float* out, int n) {
  const float value = a[blockIdx.x * blockDim.x + threadIdx.x];
  int* place = (int*)out;
  int old = *place, assumed;
  do {
    assumed = old;
    old = atomicCAS(place, assumed, __float_as_int(fmaxf(value, __int_as_float(assumed))));
  } while (assumed != old);
}
extern "C" __global__ void maximum_if_larger(const int* a, int* out, int n) {
  const int value = a[blockIdx.x * blockDim.x + threadIdx.x];
  if (out[0] < value) atomicMax(&out[0], value);
}
extern "C" __global__ void neighbouring_bytes(const unsigned char* a, unsigned char* out, int n) {
  out[threadIdx.x * gridDim.x + blockIdx.x] = a[threadIdx.x * gridDim.x + blockIdx.x];
}
// One step of Floyd and Warshall: row and column k keep their values.
extern "C" __global__ void shortest_paths(int* a, int* out, int n) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, k = 5;
  a[y * n + x] = min(a[y * n + x], a[y * n + k] + a[k * n + x]);
}

__device__ int ready[64];

// Every thread fences what it wrote, then one of them tells.
extern "C" __global__ void producer_fences(const float* a, float* out, int n) {
  const int pair = blockIdx.x / 2 * blockDim.x;
  if (blockIdx.x % 2 == 0) {
    out[pair + threadIdx.x] = a[pair + threadIdx.x];
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) atomicExch(&ready[blockIdx.x / 2], 1);
  } else {
    if (threadIdx.x == 0)
      while (atomicAdd(&ready[blockIdx.x / 2], 0) == 0) {
      }
    __syncthreads();
    out[n + pair + threadIdx.x] = out[pair + blockDim.x - 1 - threadIdx.x];
  }
}
extern "C" __global__ void producer_fences_late(const float* a, float* out, int n) {
  const int pair = blockIdx.x / 2 * blockDim.x;
  if (blockIdx.x % 2 == 0) {
    __threadfence();
    out[pair + threadIdx.x] = a[pair + threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0) atomicExch(&ready[blockIdx.x / 2], 1);
  } else {
    if (threadIdx.x == 0)
      while (atomicAdd(&ready[blockIdx.x / 2], 0) == 0) {
      }
    __syncthreads();
    out[n + pair + threadIdx.x] = out[pair + blockDim.x - 1 - threadIdx.x];
  }
}
