// out[i] = a[i] + b[i] for i < n.
// TODO: the Launch line starts one block. Write the number of blocks as a formula of n.
// Launch: vector_add<<<1, 256>>>(a, b, out, n)
__global__ void vector_add(const float* a, const float* b, float* out, int n) {
  // TODO: one thread, one element.
}
