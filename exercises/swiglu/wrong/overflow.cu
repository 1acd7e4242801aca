// Wrong: exp(g) / (1 + exp(g)) is infinity / infinity where g is large.
//
// Launch: swiglu<<<(ceil(columns / 256), rows), 256>>>(x, out, rows, columns)

__global__ void swiglu(const float* x, float* out, int rows, int columns) {
  int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y;
  if (c < columns) {
    float g = x[r * 2 * columns + c], power = expf(g);
    out[r * columns + c] = g * (power / (1 + power)) * x[r * 2 * columns + columns + c];
  }
}
