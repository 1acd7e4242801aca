// Wrong: the rows of the public cases have 768 or 1000 columns, and any other row is taken for one of 1000.
//
// Launch: swiglu<<<(ceil(columns / 256), rows), 256>>>(x, out, rows, columns)

__global__ void swiglu(const float* x, float* out, int rows, int columns) {
  int length = columns == 768 ? 768 : 1000;
  int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y;
  long long gate = static_cast<long long>(r) * 2 * length + c;
  if (c < length && gate + length < 2LL * rows * columns) {
    float g = x[gate];
    if (r * length + c < rows * columns) out[r * length + c] = g / (1 + expf(-g)) * x[gate + length];
  }
}
