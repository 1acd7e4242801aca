// Wrong: writes only zeros.
//
// Launch: cross_entropy<<<rows, BLOCK>>>(x, labels, loss, rows, columns)
#define BLOCK 256

__global__ void cross_entropy(const float* x, const int* labels, float* loss, int rows, int columns) {
  if (threadIdx.x == 0) loss[blockIdx.x] = 0;
}
