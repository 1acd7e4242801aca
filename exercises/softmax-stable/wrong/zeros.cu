// Wrong: writes only zeros.
//
// Launch: softmax<<<rows, BLOCK>>>(x, out, rows, columns)
#define BLOCK 256

__global__ void softmax(const float* x, float* out, int rows, int columns) {
  for (int c = threadIdx.x; c < columns; c += BLOCK) out[blockIdx.x * columns + c] = 0;
}
