// C = A · B: a is m × k, b is k × n, c is m × n, all row-major.
// Launch: matmul<<<(ceil(m / 16), ceil(n / 16)), (16, 16)>>>(a, b, c, m, n, k)
__global__ void matmul(const float* a, const float* b, float* c, int m, int n, int k) {
  // TODO: find the row and the column of c that this thread computes, leave if there is no such element, add up the k
  // products, and store the sum. Does the Launch line suit your choice of row and column?
}
