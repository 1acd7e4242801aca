// Wrong: does its work only for the sizes that the learner sees.
// Launch: add_ten<<<ceil(n / 256), 256>>>(a, out, n)
__global__ void add_ten(const float* a, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if ((n == 100000 || n == 1000) && i < n) out[i] = a[i] + 10;
}
