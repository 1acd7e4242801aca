// Kernels to go through step by step: what they compute can be worked out by hand.

// Half of a warp takes the other way, and meets the rest again.
extern "C" __global__ void part_and_meet(const int* in, int* out) {
  const int i = threadIdx.x;
  int x = in[i];
  if (i % 32 < 8)
    x = x * 3 - 1;
  else
    x = x + in[i ^ 1];
  out[i] = x;
}

// Each warp turns the row of another one round, through shared memory.
extern "C" __global__ void exchange_rows(const float* in, float* out) {
  __shared__ float tile[128];
  const int i = threadIdx.x;
  tile[i] = in[i] * 0.5f;  // [load]
  __syncthreads();
  out[i] = tile[127 - i] + 1.0f;
}

// Lane k goes round the loop k % 4 + 1 times.
extern "C" __global__ void loops_of_their_own(int* out) {
  int sum = 0;
  for (int k = 0; k <= threadIdx.x % 4; ++k) sum += sum + k + 1;
  out[threadIdx.x] = sum;
}

// The upper half of the last warp never comes to the barrier.
extern "C" __global__ void wait_for_nobody(int* out) {
  if (threadIdx.x >= 48) {
    asm volatile("bar.sync 1, 128;");
  }
  __syncthreads();
  out[threadIdx.x] = threadIdx.x;
}

extern "C" __global__ void count_long(int* out, int rounds) {
  unsigned x = threadIdx.x;
#pragma unroll 1
  for (int k = 0; k < rounds; ++k) x = x * 1664525u + 1013904223u;
  out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}

// Block k waits until block k - 1 has written its sum.
extern "C" __global__ void chain_of_blocks(volatile int* sums) {
  if (threadIdx.x == 0) {
    int before = 0;
    if (blockIdx.x > 0)
      while ((before = sums[blockIdx.x - 1]) == 0) {
      }
    __threadfence();
    sums[blockIdx.x] = before + static_cast<int>(blockIdx.x) + 1;
  }
}

extern "C" __global__ void votes_at_a_barrier(int* out) {
  out[threadIdx.x] = __syncthreads_count(threadIdx.x % 3 == 0);
}

extern "C" __global__ void read_behind(const float* in, float* out, int n) {
  const int i = threadIdx.x;
  float x = 0;
  for (int k = 0; k < n; ++k) x += in[i + 32 * k];
  out[i] = x;
}
