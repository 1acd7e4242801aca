// Wrong: takes x for two matrices, all of gate and then all of up.
//
// Launch: swiglu<<<(ceil(columns / 256), rows), 256>>>(x, out, rows, columns)

__global__ void swiglu(const float* x, float* out, int rows, int columns) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c < columns) {
    int i = blockIdx.y * columns + c;
    float g = x[i];
    out[i] = g / (1 + expf(-g)) * x[rows * columns + i];
  }
}
