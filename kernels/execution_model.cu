// Where blocks run: a kernel whose blocks do nothing but wait for memory and compute a little.
// Each of n threads follows CHAINS chains through a table of TABLE numbers, WORK steps each: a step reads where to go
// next, and no step can begin before the one before it has ended. out[i] is the sum of what the chains end with.
// Four rungs compute the same. What changes is what a block takes of its multiprocessor, and with it how many blocks
// are there at a time.
//
// BLOCK     threads per CTA               CHAINS      chains of one thread
// WORK      steps of one chain            TABLE_KB    size of the table, in KiB
// MIN_BLOCKS  CTAs that must fit on a multiprocessor (rung capped-registers)
#include "common.cuh"

#define TABLE (TABLE_KB * 256)  // numbers of 4 bytes

// Where and when a block ran: its multiprocessor, and the time at its begin and at its end.
struct Span {
  unsigned long long multiprocessor, begin, end;
};

// Called by all threads: the block ends when its last warp does.
__device__ void note_end(Span* schedule, unsigned long long begin) {
  __syncthreads();
  if (threadIdx.x == 0) schedule[blockIdx.x] = {multiprocessor_id(), begin, global_timer()};
}

// One chain after the other: few registers. Every step waits for the L2.
extern "C" __global__ void one_by_one(const float* in, const int* next, float* out, Span* schedule, int n) {
  unsigned long long begin = global_timer();
  int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < n) {
    float start = in[i], sum = 0;
#pragma unroll 1
    for (int chain = 0; chain < CHAINS; ++chain) {
      float x = start;
      int at = (blockIdx.x + chain) % TABLE;
#pragma unroll 1
      for (int step = 0; step < WORK; ++step) {
        at = __ldcg(next + at);
        x = 0.999f * x + at;
      }
      sum += x;
    }
    out[i] = sum;
  }
  note_end(schedule, begin);
}

// All chains side by side: a step of each can be in flight at the same time, and each takes two registers.
__device__ void follow_side_by_side(const float* in, const int* next, float* out, int n) {
  int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i >= n) return;
  float start = in[i], x[CHAINS], sum = 0;
  int at[CHAINS];
#pragma unroll
  for (int chain = 0; chain < CHAINS; ++chain) {
    x[chain] = start;
    at[chain] = (blockIdx.x + chain) % TABLE;
  }
#pragma unroll 1
  for (int step = 0; step < WORK; ++step) {
#pragma unroll
    for (int chain = 0; chain < CHAINS; ++chain) at[chain] = __ldcg(next + at[chain]);
#pragma unroll
    for (int chain = 0; chain < CHAINS; ++chain) x[chain] = 0.999f * x[chain] + at[chain];
  }
#pragma unroll
  for (int chain = 0; chain < CHAINS; ++chain) sum += x[chain];
  out[i] = sum;
}

extern "C" __global__ void side_by_side(const float* in, const int* next, float* out, Span* schedule, int n) {
  unsigned long long begin = global_timer();
  follow_side_by_side(in, next, out, n);
  note_end(schedule, begin);
}

// The same, but the compiler has to make do with the registers that leave room for MIN_BLOCKS blocks. What does not
// fit is spilled to memory.
extern "C" __global__ void __launch_bounds__(BLOCK, MIN_BLOCKS)
    capped_registers(const float* in, const int* next, float* out, Span* schedule, int n) {
  unsigned long long begin = global_timer();
  follow_side_by_side(in, next, out, n);
  note_end(schedule, begin);
}

// The block copies the table to its shared memory first: a step there is much shorter than one to the L2, but shared
// memory bounds how many blocks a multiprocessor holds.
extern "C" __global__ void table_in_shared(const float* in, const int* next, float* out, Span* schedule, int n) {
  extern __shared__ int near[];  // [TABLE]
  unsigned long long begin = global_timer();
  for (int k = threadIdx.x; k < TABLE; k += BLOCK) near[k] = next[k];
  __syncthreads();
  int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < n) {
    float start = in[i], sum = 0;
#pragma unroll 1
    for (int chain = 0; chain < CHAINS; ++chain) {
      float x = start;
      int at = (blockIdx.x + chain) % TABLE;
#pragma unroll 1
      for (int step = 0; step < WORK; ++step) {
        at = near[at];
        x = 0.999f * x + at;
      }
      sum += x;
    }
    out[i] = sum;
  }
  note_end(schedule, begin);
}
