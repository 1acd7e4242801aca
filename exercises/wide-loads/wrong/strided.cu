// Slow: 16-byte accesses, but a thread takes two neighbouring vectors, so the lanes of a warp are 32 bytes apart.
// Launch: scale<<<ceil(n / 2048), 256>>>(a, out, factor, n)
__global__ void scale(const float* a, float* out, float factor, int n) {
  int first = (blockIdx.x * blockDim.x + threadIdx.x) * 8;
  for (int i = first; i < first + 8; i += 4) {
    if (i + 4 <= n) {
      float4 x = *reinterpret_cast<const float4*>(a + i);
      *reinterpret_cast<float4*>(out + i) = make_float4(factor * x.x, factor * x.y, factor * x.z, factor * x.w);
    } else {
      for (int j = i; j < n; ++j) out[j] = factor * a[j];
    }
  }
}
