// C[i] = A[i] · B[i] for a batch of row-major matrices, m × k, k × n and m × n.
// Launch: matmul<<<(ceil(n/TILE), ceil(m/TILE)), (TILE, TILE)>>>(a, b, c, m, n, k, stride_a, stride_b, stride_c)
#define TILE 16

__global__ void matmul(const float* a, const float* b, float* c, int m, int n, int k, int stride_a, int stride_b,
                       int stride_c) {
  // TODO: the product of one pair of matrices, with tiles in shared memory. Which pair is it? The Launch line needs
  // a third number for the grid.
}
