// Tiles that come to shared memory while others are added up: out[t] is the sum over n tiles of what thread 127 - t has
// copied. The same kernel in the ways that CUDA offers, and with one mistake each.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda_awbarrier_primitives.h>
#include <cuda_pipeline.h>

#include <cuda/barrier>
#include <cuda/pipeline>

namespace cg = cooperative_groups;

// BEHIND: how many of the newest groups may still be under way when a tile is read; 1 is right.
template <int BEHIND>
__device__ void two_stages(const float4* in, float* out, int n) {
  __shared__ float4 tile[2][128];
  __pipeline_memcpy_async(&tile[0][threadIdx.x], &in[threadIdx.x], 16);
  __pipeline_commit();
  float sum = 0;
  for (int i = 0; i < n; i++) {
    if (i + 1 < n) __pipeline_memcpy_async(&tile[(i + 1) % 2][threadIdx.x], &in[(i + 1) * 128 + threadIdx.x], 16);
    __pipeline_commit();
    __pipeline_wait_prior(BEHIND);
    __syncthreads();
    sum += tile[i % 2][127 - threadIdx.x].x;  // [read]
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}
extern "C" __global__ void primitives(const float4* in, float* out, int n) { two_stages<1>(in, out, n); }
extern "C" __global__ void primitives_wait_too_little(const float4* in, float* out, int n) {
  two_stages<2>(in, out, n);
}

extern "C" __global__ void four_stages(const float4* in, float* out, int n) {
  __shared__ float4 tile[4][128];
  for (int i = 0; i < 3; i++) {
    if (i < n) __pipeline_memcpy_async(&tile[i][threadIdx.x], &in[i * 128 + threadIdx.x], 16);
    __pipeline_commit();
  }
  float sum = 0;
  for (int i = 0; i < n; i++) {
    __pipeline_wait_prior(2);
    __syncthreads();
    sum += tile[i % 4][127 - threadIdx.x].x;
    if (i + 3 < n) __pipeline_memcpy_async(&tile[(i + 3) % 4][threadIdx.x], &in[(i + 3) * 128 + threadIdx.x], 16);
    __pipeline_commit();
  }
  out[threadIdx.x] = sum;
}

extern "C" __global__ void group_copy(const float4* in, float* out, int n) {
  __shared__ float4 tile[128];
  auto block = cg::this_thread_block();
  float sum = 0;
  for (int i = 0; i < n; i++) {
    cg::memcpy_async(block, tile, in + i * 128, sizeof(tile));
    cg::wait(block);
    sum += tile[127 - threadIdx.x].x;
    block.sync();
  }
  out[threadIdx.x] = sum;
}

template <bool WAITS>
__device__ void with_mbarrier(const float4* in, float* out, int n) {
  __shared__ float4 tile[128];
  __shared__ __mbarrier_t full;
  if (threadIdx.x == 0) __mbarrier_init(&full, blockDim.x);
  __syncthreads();
  float sum = 0;
  for (int i = 0; i < n; i++) {
    __pipeline_memcpy_async(&tile[threadIdx.x], &in[i * 128 + threadIdx.x], 16);
    __pipeline_arrive_on(&full);
    __mbarrier_token_t token = __mbarrier_arrive(&full);
    while (WAITS && !__mbarrier_test_wait(&full, token)) {
    }
    sum += tile[127 - threadIdx.x].x;
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}
extern "C" __global__ void mbarrier(const float4* in, float* out, int n) { with_mbarrier<true>(in, out, n); }
extern "C" __global__ void mbarrier_not_waited(const float4* in, float* out, int n) {
  with_mbarrier<false>(in, out, n);
}

extern "C" __global__ void cuda_barrier(const float4* in, float* out, int n) {
  __shared__ float4 tile[128];
  __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
  if (threadIdx.x == 0) init(&barrier, blockDim.x);
  __syncthreads();
  float sum = 0;
  for (int i = 0; i < n; i++) {
    cuda::memcpy_async(&tile[threadIdx.x], &in[i * 128 + threadIdx.x], cuda::aligned_size_t<16>(16), barrier);
    barrier.arrive_and_wait();
    sum += tile[127 - threadIdx.x].x;
    barrier.arrive_and_wait();
  }
  out[threadIdx.x] = sum;
}

extern "C" __global__ void cuda_pipeline(const float4* in, float* out, int n) {
  __shared__ float4 tile[2][128];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  auto block = cg::this_thread_block();
  auto pipeline = cuda::make_pipeline(block, &state);
  pipeline.producer_acquire();
  cuda::memcpy_async(block, tile[0], in, sizeof(tile[0]), pipeline);
  pipeline.producer_commit();
  float sum = 0;
  for (int i = 0; i < n; i++) {
    if (i + 1 < n) {
      pipeline.producer_acquire();
      cuda::memcpy_async(block, tile[(i + 1) % 2], in + (i + 1) * 128, sizeof(tile[0]), pipeline);
      pipeline.producer_commit();
    }
    pipeline.consumer_wait();
    sum += tile[i % 2][127 - threadIdx.x].x;
    pipeline.consumer_release();
  }
  out[threadIdx.x] = sum;
}

// One warp writes for three that read, through two barriers: full and empty.
extern "C" __global__ void producer_and_consumers(const float4* in, float* out, int n) {
  __shared__ float4 tile[2][128];
  __shared__ cuda::barrier<cuda::thread_scope_block> full[2], empty[2];
  if (threadIdx.x == 0) {
    for (int i = 0; i < 2; i++) {
      init(&full[i], blockDim.x);
      init(&empty[i], blockDim.x);
    }
  }
  __syncthreads();
  if (threadIdx.x < 32) {
    for (int i = 0; i < n; i++) {
      empty[i % 2].arrive_and_wait();
      for (int j = threadIdx.x; j < 128; j += 32) tile[i % 2][j] = in[i * 128 + j];
      (void)full[i % 2].arrive();
    }
    out[threadIdx.x] = 0;
  } else {
    for (int i = 0; i < 2; i++) (void)empty[i].arrive();
    float sum = 0;
    for (int i = 0; i < n; i++) {
      full[i % 2].arrive_and_wait();
      sum += tile[i % 2][127 - threadIdx.x].x;
      (void)empty[i % 2].arrive();
    }
    out[threadIdx.x] = sum;
  }
}
