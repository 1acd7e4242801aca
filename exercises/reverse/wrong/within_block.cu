// Wrong: reverses the elements of each block, but leaves the blocks in their order.
// Launch: reverse<<<ceil(n / 256), 256>>>(a, out, n)
__global__ void reverse(const float* a, float* out, int n) {
  int first = blockIdx.x * blockDim.x, i = first + threadIdx.x;
  int count = min(static_cast<int>(blockDim.x), n - first);
  if (i < n) out[i] = a[first + count - 1 - threadIdx.x];
}
