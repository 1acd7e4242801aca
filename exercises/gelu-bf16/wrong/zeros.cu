// Wrong: writes only zeros.
//
// Launch: gelu<<<ceil(n / 256), 256>>>(x, out, n)
#include <cuda_bf16.h>

__global__ void gelu(const __nv_bfloat16* x, __nv_bfloat16* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = __float2bfloat16_rn(0);
}
