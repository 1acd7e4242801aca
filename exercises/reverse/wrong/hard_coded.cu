// Wrong: knows the last index only for the sizes that the learner sees.
// Launch: reverse<<<ceil(n / 256), 256>>>(a, out, n)
__global__ void reverse(const float* a, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int last = n == 65536 ? 65535 : 999;
  if (i < n) out[i] = a[last - i];
}
