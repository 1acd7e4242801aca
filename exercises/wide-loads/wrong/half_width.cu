// Slow: 8-byte loads and stores, which need twice as many requests.
// Launch: scale<<<ceil(n / 512), 256>>>(a, out, factor, n)
__global__ void scale(const float* a, float* out, float factor, int n) {
  int i = (blockIdx.x * blockDim.x + threadIdx.x) * 2;
  if (i + 2 <= n) {
    float2 x = *reinterpret_cast<const float2*>(a + i);
    *reinterpret_cast<float2*>(out + i) = make_float2(factor * x.x, factor * x.y);
  } else if (i < n) {
    out[i] = factor * a[i];
  }
}
