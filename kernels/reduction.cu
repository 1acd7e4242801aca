// Sum: out[0] = x[0] + x[1] + … + x[n − 1].
// Seven rungs add the same numbers. What changes is which thread adds what, where the sums are, and who waits for whom.
//
// BLOCK  threads per CTA               LOADS  vector loads that a thread has in flight
// VEC    floats of one vector load     TILES  tiles of BLOCK × VEC × LOADS floats that a CTA loops over
#include "elements.cuh"

// A sum that grows by atomics has to start at zero. One thread, one store, a launch of its own.
extern "C" __global__ void clear(float* out) { out[0] = 0; }

// Every element goes to the same address. The additions are queued there, one behind the other.
extern "C" __global__ void atomic_per_element(const float* x, float* out, int n) {
  int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < n) atomicAdd(out, x[i]);
}

// A CTA adds its BLOCK elements in shared memory, in a tree: neighbours, then neighbours of neighbours. The threads
// that still add lie 2 × stride apart, so each of them keeps a warp to itself. The CTAs' sums are added by the next
// launch.
extern "C" __global__ void divergent_stride(const float* x, float* sums, int n) {
  __shared__ float part[BLOCK];
  int i = blockIdx.x * BLOCK + threadIdx.x;
  part[threadIdx.x] = i < n ? x[i] : 0;
  __syncthreads();
  for (int stride = 1; stride < BLOCK; stride *= 2) {
    if (threadIdx.x % (2 * stride) == 0) part[threadIdx.x] += part[threadIdx.x + stride];
    __syncthreads();
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = part[0];
}

// The same tree, folded: the upper half is added to the lower half. The threads that still add are neighbours, so
// whole warps are done early, and 32 lanes meet 32 banks.
extern "C" __global__ void sequential_stride(const float* x, float* sums, int n) {
  __shared__ float part[BLOCK];
  int i = blockIdx.x * BLOCK + threadIdx.x;
  part[threadIdx.x] = i < n ? x[i] : 0;
  __syncthreads();
  for (int stride = BLOCK / 2; stride > 0; stride /= 2) {
    if (threadIdx.x < stride) part[threadIdx.x] += part[threadIdx.x + stride];
    __syncthreads();
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = part[0];
}

// Half of the threads never added anything. Now each adds two elements on the way in: half the CTAs for the same n.
extern "C" __global__ void first_add_on_load(const float* x, float* sums, int n) {
  __shared__ float part[BLOCK];
  int i = blockIdx.x * 2 * BLOCK + threadIdx.x;
  part[threadIdx.x] = (i < n ? x[i] : 0) + (i + BLOCK < n ? x[i + BLOCK] : 0);
  __syncthreads();
  for (int stride = BLOCK / 2; stride > 0; stride /= 2) {
    if (threadIdx.x < stride) part[threadIdx.x] += part[threadIdx.x + stride];
    __syncthreads();
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = part[0];
}

// Lanes read each other's registers: five additions fold 32 values into lane 0, with no memory and no barrier.
__device__ float warp_sum(float value) {
  for (int stride = 16; stride > 0; stride /= 2) value += __shfl_down_sync(0xffffffff, value, stride);
  return value;
}

// Each warp folds its values, then the first warp folds what the warps have. Only thread 0 has the answer.
__device__ float block_sum(float value) {
  __shared__ float part[BLOCK / 32];
  value = warp_sum(value);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = value;
  __syncthreads();
  return threadIdx.x < 32 ? warp_sum(threadIdx.x < BLOCK / 32 ? part[threadIdx.x] : 0) : 0;
}

// One barrier instead of one for every level, and 32 times fewer words of shared memory.
extern "C" __global__ void warp_shuffle(const float* x, float* sums, int n) {
  int i = blockIdx.x * 2 * BLOCK + threadIdx.x;
  float sum = (i < n ? x[i] : 0) + (i + BLOCK < n ? x[i + BLOCK] : 0);
  sum = block_sum(sum);
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

// What a thread adds up by itself, in registers. It loads all LOADS packs of a tile before it adds the first one.
// VEC sums grow side by side, so that an addition does not wait for the one before.
__device__ float thread_sum(const float* x, int n) {
  constexpr int TILE = BLOCK * VEC * LOADS;
  Pack sum = {};
  for (int tile = 0; tile < TILES; ++tile) {
    long long first = (static_cast<long long>(blockIdx.x) * TILES + tile) * TILE;
    if (first + TILE <= n) {
      Pack held[LOADS];
      for (int l = 0; l < LOADS; ++l) held[l] = load_pack(x + first + (l * BLOCK + threadIdx.x) * VEC);
      for (int l = 0; l < LOADS; ++l)
        for (int k = 0; k < VEC; ++k) sum.value[k] += held[l].value[k];
    } else {  // the last tile is cut short: float by float
      for (long long i = first + threadIdx.x; i < n; i += BLOCK) sum.value[0] += x[i];
    }
  }
  float all = 0;
  for (int k = 0; k < VEC; ++k) all += sum.value[k];
  return all;
}

// Thousands of floats are added in registers before the first one goes to another thread. A CTA then has one sum, and
// adds it to the result with one atomic: no second launch. The order of the atomics is that of the CTAs' ends.
extern "C" __global__ void __launch_bounds__(BLOCK) vector_loads(const float* x, float* out, int n) {
  float sum = block_sum(thread_sum(x, n));
  if (threadIdx.x == 0) atomicAdd(out, sum);
}

// Each CTA leaves its sum in memory and raises the count of those that have arrived. The one that makes it complete
// knows that all sums are there, and adds them, always in the same order. No CTA waits and the count wraps to 0. A CTA
// that is alone has the result.
extern "C" __global__ void __launch_bounds__(BLOCK)
    single_pass(const float* x, float* out, float* sums, unsigned* arrived, int n) {
  __shared__ bool last;
  float sum = block_sum(thread_sum(x, n));
  if (gridDim.x == 1) {
    if (threadIdx.x == 0) out[0] = sum;
    return;
  }
  if (threadIdx.x == 0) {
    sums[blockIdx.x] = sum;
    __threadfence();  // whoever sees the count sees the sum as well
    last = atomicInc(arrived, gridDim.x - 1) == gridDim.x - 1;
    __threadfence();  // and what is read from here on is read after the count
  }
  __syncthreads();
  if (!last) return;
  float total = 0;
  for (int i = threadIdx.x; i < gridDim.x; i += BLOCK) total += sums[i];
  total = block_sum(total);
  if (threadIdx.x == 0) out[0] = total;
}
