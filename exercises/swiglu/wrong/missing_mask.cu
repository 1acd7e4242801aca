// Wrong: no mask. Threads past the last column read and write in the next row, and after the last row past the end.
//
// Launch: swiglu<<<(ceil(columns / 256), rows), 256>>>(x, out, rows, columns)

__global__ void swiglu(const float* x, float* out, int rows, int columns) {
  int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y;
  float g = x[r * 2 * columns + c];
  out[r * columns + c] = g / (1 + expf(-g)) * x[r * 2 * columns + columns + c];
}
