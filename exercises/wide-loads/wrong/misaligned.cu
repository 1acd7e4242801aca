// Wrong: handles the odd elements at the front, so that all vectors behind them are misaligned.
// Launch: scale<<<ceil(n / 1024), 256>>>(a, out, factor, n)
__global__ void scale(const float* a, float* out, float factor, int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x, odd = n % 4;
  if (t < odd) out[t] = factor * a[t];
  int i = odd + t * 4;
  if (i < n) {
    float4 x = *reinterpret_cast<const float4*>(a + i);
    *reinterpret_cast<float4*>(out + i) = make_float4(factor * x.x, factor * x.y, factor * x.z, factor * x.w);
  }
}
