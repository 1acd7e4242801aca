// Loops whose turns are all alike, but for one. `odd` is the turn in which something goes wrong; -1: none.

// In the odd turn one warp looks at its neighbour's element while that one writes it.
extern "C" __global__ void early_look(const float* in, float* out, int turns, int odd) {
  __shared__ float tile[256];
  float sum = 0;
#pragma unroll 1
  for (int turn = 0; turn < turns; ++turn) {
    tile[threadIdx.x] = in[threadIdx.x] + turn;                               // [write]
    if (turn == odd && threadIdx.x / 32 == 1) sum += tile[threadIdx.x - 32];  // [read]
    __syncthreads();
    sum += tile[255 - threadIdx.x];
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}
// In the odd turn every warp looks early, but only at what it has written itself.
extern "C" __global__ void early_look_at_own(const float* in, float* out, int turns, int odd) {
  __shared__ float tile[256];
  const int own = threadIdx.x ^ (turns >> 30);  // the compiler must not know that this is threadIdx.x
  float sum = 0;
#pragma unroll 1
  for (int turn = 0; turn < turns; ++turn) {
    tile[threadIdx.x] = in[threadIdx.x] + turn;
    if (turn == odd) sum += tile[own];
    __syncthreads();
    sum += tile[255 - threadIdx.x];
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}
// The odd turn lacks its first barrier, so that two rounds are one.
extern "C" __global__ void missing_barrier(const float* in, float* out, int turns, int odd) {
  __shared__ float tile[256];
  float sum = 0;
#pragma unroll 1
  for (int turn = 0; turn < turns; ++turn) {
    tile[threadIdx.x] = in[threadIdx.x] + turn;  // [write]
    if (turn != odd) __syncthreads();
    sum += tile[255 - threadIdx.x];  // [read]
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}
// The same places by the same instructions in each turn, but in the odd one the lanes do not wait for one another.
extern "C" __global__ void missing_syncwarp(const float* in, float* out, int turns, int odd) {
  __shared__ float tile[64];
  float sum = 0;
#pragma unroll 1
  for (int turn = 0; turn < turns; ++turn) {
    tile[threadIdx.x] = in[threadIdx.x] + turn;  // [write]
    if (turn != odd) __syncwarp();
    sum += tile[threadIdx.x ^ 1];  // [read]
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}
// The same places by the same instructions in each turn; in the odd one the warps disagree about the value.
extern "C" __global__ void other_value(const float* in, float* out, int turns, int odd) {
  __shared__ int flag;
  int sum = 0;
#pragma unroll 1
  for (int turn = 0; turn < turns; ++turn) {
    if (threadIdx.x % 32 == 0) flag = turn == odd ? threadIdx.x : turn;  // [write]
    __syncthreads();
    sum += flag;
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}
// The same by two lanes of one warp, one store after the other.
extern "C" __global__ void other_value_of_lane(const float* in, float* out, int turns, int odd) {
  __shared__ int flag;
  int sum = 0;
#pragma unroll 1
  for (int turn = 0; turn < turns; ++turn) {
    if (threadIdx.x == 0) flag = turn;                      // [lane 0]
    if (threadIdx.x == 1) flag = turn == odd ? 100 : turn;  // [lane 1]
    __syncthreads();
    sum += flag;
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}
// All blocks are alike, but for one.
extern "C" __global__ void odd_block(const float* in, float* out, int turns, int odd) {
  __shared__ float tile[256];
  tile[threadIdx.x] = in[threadIdx.x];  // [write]
  if (blockIdx.x != odd) __syncthreads();
  out[blockIdx.x * 256 + threadIdx.x] = tile[255 - threadIdx.x];  // [read]
}
// Warps drop out one after the other: what is left of a round is no other one.
extern "C" __global__ void fewer_and_fewer(const float* in, float* out, int turns, int odd) {
  __shared__ float tile[256];
  float sum = 0;
#pragma unroll 1
  for (int turn = 0; turn < turns; ++turn) {
    if (threadIdx.x / 32 >= turn) tile[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    if (turn == odd && threadIdx.x == 0) tile[255] = 1;                                        // [write]
    if (threadIdx.x / 32 >= turn) sum += tile[threadIdx.x / 32 * 32 + 31 - threadIdx.x % 32];  // [read]
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}
// One round is the same in each turn, and the other one in none: its places come from a generator of random numbers.
extern "C" __global__ void never_twice(const float* in, float* out, int turns, int odd) {
  __shared__ float tile[256], table[2048];
  for (int i = threadIdx.x; i < 2048; i += 256) table[i] = in[i];
  unsigned state = threadIdx.x * 2654435761u + 1;
  float sum = 0;
  __syncthreads();
#pragma unroll 1
  for (int turn = 0; turn < turns; ++turn) {
    tile[threadIdx.x] = turn;                                                 // [write]
    if (turn == odd && threadIdx.x / 32 == 1) sum += tile[threadIdx.x - 32];  // [read]
    __syncthreads();
    state = state * 1664525u + 1013904223u;
    sum += tile[255 - threadIdx.x] + table[state >> 21];
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}
