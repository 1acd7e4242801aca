// Wrong: float4 in rows that do not start on 16 bytes, because `columns` is not a multiple of 4.
//
// Launch: swiglu<<<(ceil(columns / 1024), rows), 256>>>(x, out, rows, columns)

__device__ float one(float g, float up) { return g / (1 + expf(-g)) * up; }

__global__ void swiglu(const float* x, float* out, int rows, int columns) {
  int c = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
  const float* gate = x + blockIdx.y * 2 * columns;
  float* to = out + blockIdx.y * columns;
  if (c + 4 <= columns) {
    float4 g = *reinterpret_cast<const float4*>(gate + c), up = *reinterpret_cast<const float4*>(gate + columns + c);
    *reinterpret_cast<float4*>(to + c) = make_float4(one(g.x, up.x), one(g.y, up.y), one(g.z, up.z), one(g.w, up.w));
  } else {
    for (; c < columns; ++c) to[c] = one(gate[c], gate[columns + c]);
  }
}
