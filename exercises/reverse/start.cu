// out[i] = a[n - 1 - i] for i < n.
// Launch: reverse<<<ceil(n / 256), 256>>>(a, out, n)
__global__ void reverse(const float* a, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // TODO: if there is an element i, write it. From which index of a does it come?
}
