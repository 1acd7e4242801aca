// Slow: each thread takes a contiguous chunk, so the lanes of a warp are a chunk apart.
// Launch: saxpy<<<132, 256>>>(x, y, out, s, n)
__global__ void saxpy(const float* x, const float* y, float* out, float s, int n) {
  int threads = gridDim.x * blockDim.x, chunk = (n + threads - 1) / threads;
  int first = (blockIdx.x * blockDim.x + threadIdx.x) * chunk;
  for (int i = first; i < min(first + chunk, n); ++i) out[i] = s * x[i] + y[i];
}
