// Slow: the results are right, but lanes have neighbouring rows of one column: 32 sectors per request.
//
// Launch: swiglu<<<(ceil(rows / 32), columns), 32>>>(x, out, rows, columns)

__global__ void swiglu(const float* x, float* out, int rows, int columns) {
  int r = blockIdx.x * blockDim.x + threadIdx.x, c = blockIdx.y;
  if (r < rows) {
    float g = x[r * 2 * columns + c];
    out[r * columns + c] = g / (1 + expf(-g)) * x[r * 2 * columns + columns + c];
  }
}
