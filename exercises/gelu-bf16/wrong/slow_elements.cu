// Slow: the results are right, but each lane loads 2 bytes: 2 sectors with each request.
//
// Launch: gelu<<<ceil(n / 256), 256>>>(x, out, n)
#include <cuda_bf16.h>

__global__ void gelu(const __nv_bfloat16* x, __nv_bfloat16* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float value = __bfloat162float(x[i]);
    out[i] = __float2bfloat16_rn(__fdividef(value, 1 + __expf(-1.702f * value)));
  }
}
