// Slow: the results are right, but expf and the exact division spend instructions on bits that bf16 drops.
//
// Launch: gelu<<<ceil(n / (256 * VEC)), 256>>>(x, out, n)
#include <cuda_bf16.h>

constexpr int VEC = 8;

__device__ float gelu_of(float x) { return x / (1 + expf(-1.702f * x)); }

__global__ void gelu(const __nv_bfloat16* x, __nv_bfloat16* out, int n) {
  int i = (blockIdx.x * blockDim.x + threadIdx.x) * VEC;
  if (i + VEC <= n) {
    uint4 bits = *reinterpret_cast<const uint4*>(x + i);
    auto* pair = reinterpret_cast<__nv_bfloat162*>(&bits);
    for (int k = 0; k < VEC / 2; ++k) {
      float2 value = __bfloat1622float2(pair[k]);
      pair[k] = __floats2bfloat162_rn(gelu_of(value.x), gelu_of(value.y));
    }
    *reinterpret_cast<uint4*>(out + i) = bits;
  } else {
    for (; i < n; ++i) out[i] = __float2bfloat16_rn(gelu_of(__bfloat162float(x[i])));
  }
}
