// Scale n points of STRIDE floats each: out[j] = 2 · in[OFFSET + j] for every j < n · STRIDE.
// Six rungs read and write the same floats. What changes is which lane takes which, that is, what a warp asks for at
// once. The last two take the floats for arrays that were laid out for the GPU.
//
// BLOCK  threads per CTA                  STRIDE  floats of one point
// OFFSET floats in front of the points    VEC     floats of one access (rung vector-fields)
#include "elements.cuh"

// One field of all points, then the next: neighbouring lanes are STRIDE floats apart, and what else their sectors hold
// is wanted only in another pass, long after it has left the caches.
extern "C" __global__ void field_by_field(const float* in, float* out, int n) {
  int point = blockIdx.x * BLOCK + threadIdx.x;
  int field = blockIdx.y;
  if (point < n) {
    int j = point * STRIDE + field;
    out[j] = 2 * in[OFFSET + j];
  }
}

// A thread takes a whole point. Its warp asks for the same sectors again and again, now one access after the other, so
// that the L1 can answer most of it.
extern "C" __global__ void point_by_point(const float* in, float* out, int n) {
  int point = blockIdx.x * BLOCK + threadIdx.x;
  if (point < n)
    for (int field = 0; field < STRIDE; ++field) {
      int j = point * STRIDE + field;
      out[j] = 2 * in[OFFSET + j];
    }
}

// The same with a Pack at a time: VEC neighbouring fields, 16 bytes at VEC 4. Every point must start at a multiple of
// VEC floats.
extern "C" __global__ void vector_fields(const float* in, float* out, int n) {
  constexpr bool aligned = OFFSET % VEC == 0 && STRIDE % VEC == 0;
  int point = blockIdx.x * BLOCK + threadIdx.x;
  if (point >= n) return;
  for (int field = 0; field < STRIDE; field += aligned ? VEC : 1) {
    int j = point * STRIDE + field;
    if (aligned) {
      Pack pack = load_pack(in + OFFSET + j);
      for (int k = 0; k < VEC; ++k) pack.value[k] *= 2;
      store_pack(out + j, pack);
    } else {
      out[j] = 2 * in[OFFSET + j];
    }
  }
}

// The CTA's points are contiguous in memory. All threads copy them to shared memory and back in that order; in between
// each thread works on its own point, where strides cost nothing: an odd PITCH spreads the lanes over all banks.
extern "C" __global__ void staged(const float* in, float* out, int n) {
  constexpr int PITCH = STRIDE | 1;
  __shared__ float points[BLOCK * PITCH];  // (BLOCK, PITCH): a point in each row
  int first = blockIdx.x * BLOCK * STRIDE;
  int count = min(BLOCK * STRIDE, n * STRIDE - first);
  for (int k = threadIdx.x; k < count; k += BLOCK) points[k / STRIDE * PITCH + k % STRIDE] = in[OFFSET + first + k];
  __syncthreads();
  for (int field = 0; field < STRIDE; ++field)
    if (threadIdx.x * STRIDE < count) points[threadIdx.x * PITCH + field] *= 2;
  __syncthreads();
  for (int k = threadIdx.x; k < count; k += BLOCK) out[first + k] = points[k / STRIDE * PITCH + k % STRIDE];
}

// Another layout: STRIDE arrays of n floats, one for each field. Neighbouring lanes take neighbouring floats.
extern "C" __global__ void structure_of_arrays(const float* in, float* out, int n) {
  int point = blockIdx.x * BLOCK + threadIdx.x;
  if (point < n)
    for (int field = 0; field < STRIDE; ++field) {
      int j = field * n + point;
      out[j] = 2 * in[OFFSET + j];
    }
}

// A layout between both: 32 points together, field by field. A warp finds its lines side by side, and all fields of a
// point are near each other.
extern "C" __global__ void blocks_of_32(const float* in, float* out, int n) {
  int point = blockIdx.x * BLOCK + threadIdx.x;
  int first = point / 32 * 32;
  int width = min(32, n - first);  // the last block may be narrower
  if (point < n)
    for (int field = 0; field < STRIDE; ++field) {
      int j = first * STRIDE + field * width + point % 32;
      out[j] = 2 * in[OFFSET + j];
    }
}
