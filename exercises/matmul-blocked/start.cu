// C = A · B: a is m × k and b is k × n in half precision, c is m × n in fp32, all row-major.
// Launch: matmul<<<(ceil(n / TILE), ceil(m / TILE)), 128>>>(a, b, c, m, n, k)
#include <cuda_fp16.h>
#include <mma.h>

#define TILE 32

__global__ void matmul(const half* a, const half* b, float* c, int m, int n, int k) {
  __shared__ __align__(32) half a_tile[TILE][TILE];  // (row, p)
  __shared__ __align__(32) half b_tile[TILE][TILE];  // (p, column)
  const int top = blockIdx.y * TILE, left = blockIdx.x * TILE;
  // TODO: loop over k-tiles; fill both tiles, and let each of the four warps multiply a quarter of 16 × 16 with
  // nvcuda::wmma, or begin with a float per thread. Then write what lies inside of c.
}
