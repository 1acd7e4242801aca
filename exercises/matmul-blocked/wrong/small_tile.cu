// Correct, but one warp with a tile of 16 × 16: a and b are read twice as often.
// Launch: matmul<<<(ceil(n / TILE), ceil(m / TILE)), 32>>>(a, b, c, m, n, k)
#include <cuda_fp16.h>
#include <mma.h>

#define TILE 16
constexpr int FRAGMENT = 16;     // edge of what one instruction of a warp multiplies
constexpr int PITCH = TILE + 8;  // the padding puts the rows of a tile into different banks

__global__ void __launch_bounds__(32) matmul(const half* a, const half* b, float* c, int m, int n, int k) {
  using namespace nvcuda::wmma;
  __shared__ __align__(32) half a_tile[TILE][PITCH];   // (row, p)
  __shared__ __align__(32) half b_tile[TILE][PITCH];   // (p, column)
  __shared__ __align__(32) float c_tile[TILE][PITCH];  // (row, column)
  const int lane = threadIdx.x % 16, half_warp = threadIdx.x / 16;
  const int top = blockIdx.y * TILE, left = blockIdx.x * TILE;

  fragment<accumulator, FRAGMENT, FRAGMENT, FRAGMENT, float> sums;
  fill_fragment(sums, 0.0f);
  for (int first = 0; first < k; first += TILE) {
    for (int y = half_warp; y < TILE; y += 2) {
      a_tile[y][lane] = top + y < m && first + lane < k ? a[(top + y) * k + first + lane] : half(0.0f);
      b_tile[y][lane] = first + y < k && left + lane < n ? b[(first + y) * n + left + lane] : half(0.0f);
    }
    __syncthreads();  // the tiles are complete
    for (int p = 0; p < TILE; p += FRAGMENT) {
      fragment<matrix_a, FRAGMENT, FRAGMENT, FRAGMENT, half, row_major> a_frag;
      fragment<matrix_b, FRAGMENT, FRAGMENT, FRAGMENT, half, row_major> b_frag;
      load_matrix_sync(a_frag, &a_tile[0][p], PITCH);
      load_matrix_sync(b_frag, &b_tile[p][0], PITCH);
      mma_sync(sums, a_frag, b_frag, sums);
    }
    __syncthreads();  // all warps have read them
  }

  store_matrix_sync(&c_tile[0][0], sums, PITCH, mem_row_major);
  __syncthreads();
  for (int y = half_warp; y < TILE; y += 2)
    if (top + y < m && left + lane < n) c[(top + y) * n + left + lane] = c_tile[y][lane];
}
