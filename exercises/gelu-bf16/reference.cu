// One element per thread, in double precision, and not rounded to bf16.
//
// Launch: reference<<<ceil(n / 256), 256>>>(x, out, n)
#include <cuda_bf16.h>

__global__ void reference(const __nv_bfloat16* x, double* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    double value = __bfloat162float(x[i]);
    out[i] = value / (1 + exp(-1.702 * value));
  }
}
