// Wrong: always three rounds, which is enough for the sizes that the learner sees.
// Launch: saxpy<<<132, 256>>>(x, y, out, s, n)
__global__ void saxpy(const float* x, const float* y, float* out, float s, int n) {
  for (int round = 0; round < 3; ++round) {
    int i = (round * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) out[i] = s * x[i] + y[i];
  }
}
