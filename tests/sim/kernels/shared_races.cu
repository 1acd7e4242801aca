// Races in shared memory, one bug a kernel, each beside a kernel that looks alike and is right.
#define WIDTH 16

extern "C" __global__ void write_then_read(const float* in, float* out, int reverse) {
  __shared__ float s[256];
  s[threadIdx.x] = in[threadIdx.x];         // [write]
  out[threadIdx.x] = s[255 - threadIdx.x];  // [read]
}
extern "C" __global__ void write_barrier_read(const float* in, float* out, int reverse) {
  __shared__ float s[256];
  s[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = s[255 - threadIdx.x];
}
extern "C" __global__ void own_element(const float* in, float* out, int n) {
  __shared__ float s[256];
  s[threadIdx.x] = in[threadIdx.x];
  s[threadIdx.x] += 1;
  out[threadIdx.x] = s[threadIdx.x];
}
// A second tile is loaded while other warps still read the first one.
extern "C" __global__ void matmul_one_barrier(const float* a, const float* b, float* c, int n) {
  __shared__ float as[WIDTH][WIDTH], bs[WIDTH][WIDTH];
  const int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * WIDTH + y, column = blockIdx.x * WIDTH + x;
  float sum = 0;
  for (int k = 0; k < n; k += WIDTH) {
    as[y][x] = a[row * n + k + x];       // [load a]
    bs[y][x] = b[(k + y) * n + column];  // [load b]
    __syncthreads();
    for (int i = 0; i < WIDTH; ++i) sum += as[y][i] * bs[i][x];  // [multiply]
  }
  c[row * n + column] = sum;
}
extern "C" __global__ void matmul_two_barriers(const float* a, const float* b, float* c, int n) {
  __shared__ float as[WIDTH][WIDTH], bs[WIDTH][WIDTH];
  const int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * WIDTH + y, column = blockIdx.x * WIDTH + x;
  float sum = 0;
  for (int k = 0; k < n; k += WIDTH) {
    as[y][x] = a[row * n + k + x];
    bs[y][x] = b[(k + y) * n + column];
    __syncthreads();
    for (int i = 0; i < WIDTH; ++i) sum += as[y][i] * bs[i][x];
    __syncthreads();
  }
  c[row * n + column] = sum;
}
extern "C" __global__ void two_buffers(const float* in, float* out, int n) {
  __shared__ float s[2][256];
  float sum = 0;
  s[0][threadIdx.x] = in[threadIdx.x];
  for (int i = 0; i < n; ++i) {
    __syncthreads();
    if (i + 1 < n) s[(i + 1) % 2][threadIdx.x] = in[(i + 1) * 256 + threadIdx.x];
    sum += s[i % 2][255 - threadIdx.x];
  }
  out[threadIdx.x] = sum;
}
// The buffer that is filled is the one that slow warps still read.
extern "C" __global__ void two_buffers_filled_early(const float* in, float* out, int n) {
  __shared__ float s[2][256];
  float sum = 0;
  s[0][threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  for (int i = 0; i < n; ++i) {
    sum += s[i % 2][255 - threadIdx.x];                                            // [read]
    if (i + 1 < n) s[(i + 1) % 2][threadIdx.x] = in[(i + 1) * 256 + threadIdx.x];  // [refill]
    if (i % 2 == 0) __syncthreads();
  }
  out[threadIdx.x] = sum;
}
extern "C" __global__ void histogram_plain(const int* in, int* out, int n) {
  __shared__ int bins[32];
  if (threadIdx.x < 32) bins[threadIdx.x] = 0;
  __syncthreads();
  bins[in[threadIdx.x] % 32] += 1;  // [count]
  __syncthreads();
  if (threadIdx.x < 32) out[threadIdx.x] = bins[threadIdx.x];
}
extern "C" __global__ void histogram_atomic(const int* in, int* out, int n) {
  __shared__ int bins[32];
  if (threadIdx.x < 32) bins[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&bins[in[threadIdx.x] % 32], 1);
  __syncthreads();
  if (threadIdx.x < 32) out[threadIdx.x] = bins[threadIdx.x];
}
extern "C" __global__ void histogram_unfinished(const int* in, int* out, int n) {
  __shared__ int bins[32];
  if (threadIdx.x < 32) bins[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&bins[in[threadIdx.x] % 32], 1);                   // [count]
  if (threadIdx.x < 32) out[threadIdx.x] = bins[threadIdx.x];  // [read]
}
extern "C" __global__ void reduce(const float* in, float* out, int n) {
  __shared__ float s[256];
  s[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  for (int half = 128; half > 0; half /= 2) {
    if (threadIdx.x < half) s[threadIdx.x] += s[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) *out = s[0];
}
extern "C" __global__ void reduce_without_barrier(const float* in, float* out, int n) {
  __shared__ float s[256];
  s[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  for (int half = 128; half > 0; half /= 2)
    if (threadIdx.x < half) s[threadIdx.x] += s[threadIdx.x + half];  // [add]
  __syncthreads();
  if (threadIdx.x == 0) *out = s[0];
}
extern "C" __global__ void warp_reduce_volatile(const float* in, float* out, int n) {
  __shared__ volatile float s[64];
  s[threadIdx.x] = in[threadIdx.x];
  s[threadIdx.x + 32] = in[threadIdx.x + 32];
  s[threadIdx.x] += s[threadIdx.x + 32];
  s[threadIdx.x] += s[threadIdx.x + 16];
  s[threadIdx.x] += s[threadIdx.x + 8];
  if (threadIdx.x == 0) *out = s[0];
}
extern "C" __global__ void warp_exchange(const float* in, float* out, int n) {
  __shared__ float s[32];
  s[threadIdx.x] = in[threadIdx.x];
  __syncwarp();
  float other = s[threadIdx.x ^ 1];
  __syncwarp();
  s[threadIdx.x] = other;
  __syncwarp();
  out[threadIdx.x] = s[31 - threadIdx.x];
}
extern "C" __global__ void warp_exchange_without_sync(const float* in, float* out, int n) {
  __shared__ float s[32];
  s[threadIdx.x] = in[threadIdx.x];       // [write]
  out[threadIdx.x] = s[threadIdx.x ^ 1];  // [read]
}
extern "C" __global__ void warp_overwrites(const float* in, float* out, int n) {
  __shared__ float s[32];
  s[threadIdx.x] = in[threadIdx.x];
  __syncwarp();
  const float other = s[threadIdx.x ^ 1];  // [read]
  s[threadIdx.x] = other;                  // [write]
  __syncwarp();
  out[threadIdx.x] = s[31 - threadIdx.x];
}
extern "C" __global__ void warp_exchange_by_shuffle(const float* in, float* out, int n) {
  __shared__ float s[32];
  s[threadIdx.x] = in[threadIdx.x];
  const float sum = __shfl_xor_sync(0xffffffff, in[threadIdx.x], 1);
  out[threadIdx.x] = s[threadIdx.x ^ 1] + sum;
}
extern "C" __global__ void same_flag(const float* in, int* out, int n) {
  __shared__ int found;
  if (threadIdx.x == 0) found = 0;
  __syncthreads();
  if (in[threadIdx.x] > 0) found = 1;
  __syncthreads();
  out[threadIdx.x] = found;
}
extern "C" __global__ void last_one_wins(const float* in, int* out, int n) {
  __shared__ int found;
  if (threadIdx.x == 0) found = 0;
  __syncthreads();
  if (in[threadIdx.x] > 0) found = threadIdx.x;  // [write]
  __syncthreads();
  out[threadIdx.x] = found;
}
extern "C" __global__ void redundant_writes(const float* in, float* out, int n) {
  __shared__ float s[32];
  s[threadIdx.x % 32] = in[threadIdx.x % 32];
  __syncthreads();
  out[threadIdx.x] = s[31 - threadIdx.x % 32];
}
extern "C" __global__ void neighbouring_bytes(const unsigned char* in, unsigned char* out, int n) {
  __shared__ unsigned char s[256];
  const int place = threadIdx.x % 64 * 4 + threadIdx.x / 64;
  s[place] = in[place];
  __syncthreads();
  out[threadIdx.x] = s[255 - threadIdx.x];
}
// Half of the warps produce, half consume, by two named barriers.
extern "C" __global__ void producer_consumer(const float* in, float* out, int n) {
  __shared__ float s[128];
  const int lane = threadIdx.x % 128;
  float sum = 0;
  for (int i = 0; i < n; ++i) {
    if (threadIdx.x < 128) {
      if (i > 0) asm volatile("bar.sync 2, 256;" ::: "memory");
      s[lane] = in[i * 128 + lane];
      asm volatile("bar.arrive 1, 256;" ::: "memory");
    } else {
      asm volatile("bar.sync 1, 256;" ::: "memory");
      sum += s[127 - lane];
      if (i + 1 < n) asm volatile("bar.arrive 2, 256;" ::: "memory");
    }
  }
  if (threadIdx.x >= 128) out[lane] = sum;
}
// The producers do not wait until the buffer is free.
extern "C" __global__ void producer_too_fast(const float* in, float* out, int n) {
  __shared__ float s[128];
  const int lane = threadIdx.x % 128;
  if (threadIdx.x < 128) {
    s[lane] = in[lane];
    asm volatile("bar.arrive 1, 256;" ::: "memory");
    s[lane] = in[128 + lane];  // [fill]
    asm volatile("bar.arrive 2, 256;" ::: "memory");
  } else {
    asm volatile("bar.sync 1, 256;" ::: "memory");
    float sum = s[127 - lane];  // [read]
    asm volatile("bar.sync 2, 256;" ::: "memory");
    out[lane] = sum + s[127 - lane];
  }
}
extern "C" __global__ void flag_with_fence(const int* in, int* out, int n) {
  __shared__ int data[32];
  __shared__ volatile int flag;
  if (threadIdx.x == 0) flag = 0;
  __syncthreads();
  if (threadIdx.x < 32) {
    data[threadIdx.x] = in[threadIdx.x];
    __threadfence_block();
    __syncwarp();
    if (threadIdx.x == 0) flag = 1;
  } else {
    while (flag == 0) {
    }
    out[threadIdx.x] = data[63 - threadIdx.x];
  }
}
extern "C" __global__ void flag_without_fence(const int* in, int* out, int n) {
  __shared__ int data[32];
  __shared__ volatile int flag;
  if (threadIdx.x == 0) flag = 0;
  __syncthreads();
  if (threadIdx.x < 32) {
    data[threadIdx.x] = in[threadIdx.x];  // [write]
    __syncwarp();
    if (threadIdx.x == 0) flag = 1;
  } else {
    while (flag == 0) {
    }
    out[threadIdx.x] = data[63 - threadIdx.x];  // [read]
  }
}
extern "C" __global__ void lock(const int* in, int* out, int n) {
  __shared__ int mutex, sum;
  if (threadIdx.x == 0) mutex = 0, sum = 0;
  __syncthreads();
  if (threadIdx.x % 32 == 0) {
    while (atomicCAS(&mutex, 0, 1) != 0) {
    }
    __threadfence_block();
    sum += in[threadIdx.x];
    __threadfence_block();
    atomicExch(&mutex, 0);
  }
  __syncthreads();
  out[threadIdx.x] = sum;
}
extern "C" __global__ void lock_without_fence(const int* in, int* out, int n) {
  __shared__ int mutex, sum;
  if (threadIdx.x == 0) mutex = 0, sum = 0;
  __syncthreads();
  if (threadIdx.x % 32 == 0) {
    while (atomicCAS(&mutex, 0, 1) != 0) {
    }
    sum += in[threadIdx.x];  // [add]
    atomicExch(&mutex, 0);
  }
  __syncthreads();
  out[threadIdx.x] = sum;
}
// Shortest paths by way of k: row and column k keep their values.
extern "C" __global__ void shortest_paths(const int* in, int* out, int n) {
  __shared__ int d[WIDTH][WIDTH];
  const int x = threadIdx.x, y = threadIdx.y;
  d[y][x] = x == y ? 0 : in[y * WIDTH + x];
  __syncthreads();
  for (int k = 0; k < WIDTH; ++k) {
    d[y][x] = min(d[y][x], d[y][k] + d[k][x]);
    __syncthreads();
  }
  out[y * WIDTH + x] = d[y][x];
}
extern "C" __global__ void bitonic_sort(const int* in, int* out, int n) {
  __shared__ int s[256];
  const int i = threadIdx.x;
  s[i] = in[i];
  __syncthreads();
  for (int k = 2; k <= 256; k *= 2) {
    for (int j = k / 2; j > 0; j /= 2) {
      const int other = i ^ j;
      if (other > i) {
        const int a = s[i], b = s[other];
        if ((a > b) == ((i & k) == 0)) s[i] = b, s[other] = a;
      }
      __syncthreads();
    }
  }
  out[i] = s[i];
}
extern "C" __global__ void transpose_padded(const float* in, float* out, int n) {
  __shared__ float s[32][33];
  for (int row = threadIdx.y; row < 32; row += 8) s[row][threadIdx.x] = in[row * 32 + threadIdx.x];
  __syncthreads();
  for (int row = threadIdx.y; row < 32; row += 8) out[row * 32 + threadIdx.x] = s[threadIdx.x][row];
}
extern "C" __global__ void scan(const int* in, int* out, int n) {
  __shared__ int s[256];
  const int i = threadIdx.x;
  s[i] = in[i];
  __syncthreads();
  for (int step = 1; step < 256; step *= 2) {
    const int before = i >= step ? s[i - step] : 0;
    __syncthreads();
    s[i] += before;
    __syncthreads();
  }
  out[i] = s[i];
}
extern "C" __global__ void scan_one_barrier(const int* in, int* out, int n) {
  __shared__ int s[256];
  const int i = threadIdx.x;
  s[i] = in[i];
  __syncthreads();
  for (int step = 1; step < 256; step *= 2) {
    const int before = i >= step ? s[i - step] : 0;  // [read]
    s[i] += before;                                  // [write]
    __syncthreads();
  }
  out[i] = s[i];
}
