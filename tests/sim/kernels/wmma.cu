// One product of nvcuda::wmma for each type and shape, in two combinations of layouts. D = 2 · (A · B + C).
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>

namespace wmma = nvcuda::wmma;

template <class Fragment>
__device__ void twice(Fragment& fragment) {
  for (int i = 0; i < fragment.num_elements; i++) fragment.x[i] = fragment.x[i] + fragment.x[i];
}

__device__ constexpr bool is_row_major(const wmma::row_major*) { return true; }
__device__ constexpr bool is_row_major(const wmma::col_major*) { return false; }

template <int M, int N, int K, class Input, class ALayout, class BLayout, class Element, class Accumulator>
__device__ void product(const Element* a, const Element* b, const Accumulator* c, Accumulator* d,
                        wmma::layout_t layout) {
  constexpr bool a_rows = is_row_major(static_cast<const ALayout*>(nullptr)),
                 b_rows = is_row_major(static_cast<const BLayout*>(nullptr));
  const int ldc = layout == wmma::mem_row_major ? N : M;
  wmma::fragment<wmma::matrix_a, M, N, K, Input, ALayout> fa;
  wmma::fragment<wmma::matrix_b, M, N, K, Input, BLayout> fb;
  wmma::fragment<wmma::accumulator, M, N, K, Accumulator> fc;
  wmma::load_matrix_sync(fa, a, a_rows ? K : M);
  wmma::load_matrix_sync(fb, b, b_rows ? N : K);
  wmma::load_matrix_sync(fc, c, ldc, layout);
  wmma::mma_sync(fc, fa, fb, fc);
  twice(fc);
  wmma::store_matrix_sync(d, fc, ldc, layout);
}

#define PRODUCT(name, M, N, K, Input, Element, Accumulator)                                            \
  extern "C" __global__ void name##_m##M##n##N##k##K##_row_col(const Element* a, const Element* b,     \
                                                               const Accumulator* c, Accumulator* d) { \
    product<M, N, K, Input, wmma::row_major, wmma::col_major>(a, b, c, d, wmma::mem_row_major);        \
  }                                                                                                    \
  extern "C" __global__ void name##_m##M##n##N##k##K##_col_row(const Element* a, const Element* b,     \
                                                               const Accumulator* c, Accumulator* d) { \
    product<M, N, K, Input, wmma::col_major, wmma::row_major>(a, b, c, d, wmma::mem_col_major);        \
  }
#define SHAPES(name, Input, Element, Accumulator)        \
  PRODUCT(name, 16, 16, 16, Input, Element, Accumulator) \
  PRODUCT(name, 32, 8, 16, Input, Element, Accumulator)  \
  PRODUCT(name, 8, 32, 16, Input, Element, Accumulator)

SHAPES(f16, __half, __half, float)
SHAPES(h16, __half, __half, __half)
SHAPES(bf16, __nv_bfloat16, __nv_bfloat16, float)
SHAPES(s8, signed char, signed char, int)
SHAPES(u8, unsigned char, unsigned char, int)
PRODUCT(tf32, 16, 16, 8, wmma::precision::tf32, float, float)
PRODUCT(f64, 8, 8, 4, double, double, double)

// Through shared memory: 64 x 64 of A (row-major) times B (row-major), one warp for each 16 x 16 tile.
extern "C" __global__ void tiles_in_shared(const __half* a, const __half* b, float* d) {
  __shared__ __half as[64][16 + 8], bs[16][64 + 8];
  const int warp = threadIdx.x / 32, row = warp / 4 * 16, column = warp % 4 * 16;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
  wmma::fill_fragment(sum, 0.0f);
  for (int k = 0; k < 64; k += 16) {
    for (int i = threadIdx.x; i < 64 * 16; i += blockDim.x) {
      as[i / 16][i % 16] = a[i / 16 * 64 + k + i % 16];
      bs[i / 64][i % 64] = b[(k + i / 64) * 64 + i % 64];
    }
    __syncthreads();
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> fb;
    wmma::load_matrix_sync(fa, &as[row][0], 24);
    wmma::load_matrix_sync(fb, &bs[0][column], 72);
    wmma::mma_sync(sum, fa, fb, sum);
    __syncthreads();
  }
  wmma::store_matrix_sync(d + row * 64 + column, sum, 64, wmma::mem_row_major);
}

// Sub-byte numbers: A row-major, B column-major, eight 4-bit numbers or 32 bits in a word.
extern "C" __global__ void s4_m8n8k32(const void* a, const void* b, const int* c, int* d) {
  wmma::fragment<wmma::matrix_a, 8, 8, 32, wmma::experimental::precision::s4, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 8, 8, 32, wmma::experimental::precision::s4, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, 8, 8, 32, int> fc;
  wmma::load_matrix_sync(fa, a, 32);
  wmma::load_matrix_sync(fb, b, 32);
  wmma::load_matrix_sync(fc, c, 8, wmma::mem_row_major);
  wmma::mma_sync(fc, fa, fb, fc);
  wmma::store_matrix_sync(d, fc, 8, wmma::mem_row_major);
}
extern "C" __global__ void b1_m8n8k128(const void* a, const void* b, const int* c, int* d) {
  wmma::fragment<wmma::matrix_a, 8, 8, 128, wmma::experimental::precision::b1, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 8, 8, 128, wmma::experimental::precision::b1, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, 8, 8, 128, int> fc;
  wmma::load_matrix_sync(fa, a, 128);
  wmma::load_matrix_sync(fb, b, 128);
  wmma::load_matrix_sync(fc, c, 8, wmma::mem_row_major);
  wmma::bmma_sync(fc, fa, fb, fc, wmma::experimental::bmmaBitOpXOR, wmma::experimental::bmmaAccumulateOpPOPC);
  wmma::store_matrix_sync(d, fc, 8, wmma::mem_row_major);
}
