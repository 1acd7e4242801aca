// Idioms in which a plain read prepares an atomic on the same place: the atomic notices that the read is out of date.
#include "idioms.hpp"

__device__ inline float add_by_exchange(int* place, float value, bool right) {
  int old = *place, assumed;
  if (!right) return atomicExch(place, __float_as_int(__int_as_float(old) + value));  // overwrites what others added
  do {
    assumed = old;
    old = atomicCAS(place, assumed, __float_as_int(__int_as_float(assumed) + value));
  } while (assumed != old);
  return __int_as_float(old);
}

IDIOM(sum_by_compare_and_swap) {
  if (is_leader()) add_by_exchange(flags, data[blockIdx.x], kRight);
}
IDIOM(sum_by_compare_and_swap_in_a_block) {
  __shared__ int sum;
  if (is_leader()) sum = 0;
  __syncthreads();
  add_by_exchange(&sum, data[threadIdx.x], kRight);
  __syncthreads();
  if (is_leader()) out[blockIdx.x] = __int_as_float(sum);
}
IDIOM(largest_with_a_look_before) {  // most need no atomic
  __shared__ int largest;
  if (is_leader()) largest = 0;
  __syncthreads();
  const int own = (int)data[threadIdx.x];
  if (own > largest) {
    if (kRight)
      atomicMax(&largest, own);
    else
      atomicExch(&largest, own);  // what is larger by now is lost
  }
  __syncthreads();
  if (is_leader()) out[blockIdx.x] = largest;
}
IDIOM(result_behind_a_barrier) {
  __shared__ int sum;
  if (is_leader()) sum = 0;
  __syncthreads();
  add_by_exchange(&sum, data[threadIdx.x], true);
  if (kRight) __syncthreads();
  if (is_leader()) out[blockIdx.x] = __int_as_float(sum);
}
