// One element per thread, in double precision.
//
// Launch: reference<<<ceil(rows * columns / 256), 256>>>(x, out, rows, columns)

__global__ void reference(const float* x, double* out, int rows, int columns) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < rows * columns) {
    int r = i / columns, c = i % columns;
    double gate = x[r * 2 * columns + c], up = x[r * 2 * columns + columns + c];
    out[i] = gate / (1 + exp(-gate)) * up;
  }
}
