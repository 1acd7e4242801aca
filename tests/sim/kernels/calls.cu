// Calls that the compiler leaves in the PTX.
__device__ __noinline__ float scale(float x, int by) {
  if (by < 0) return -x;
  return x * by;
}
__device__ __noinline__ float scale_twice(float x, int by) { return scale(scale(x, by), by + 1); }

extern "C" __global__ void scaled(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = scale_twice(in[i], i % 5 - 2) + scale(in[i], 3);
}
extern "C" __global__ void powers(const double* in, double* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = pow(in[i], 1.7) + sin(in[i] * 1e10);
}
