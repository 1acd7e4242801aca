// The barrier has moved behind the products, and none is left between loading and reading.
// A linear layer: out[r][o] = bias[o] + sum over i of x[r][i] · w[o][i]. Both matrices are row-major, so the sum runs
// along a row of each.
// A block computes a tile of TILE × TILE results. It goes through the inputs TILE at a time and keeps the k-tiles of
// both matrices in shared memory. The extra column avoids bank conflicts: the lanes of a warp read different rows of w.
#define TILE 16

// Launch: linear<<<(ceil(outputs / TILE), ceil(rows / TILE)), (TILE, TILE)>>>(x, w, bias, out, rows, inputs, outputs)
__global__ void linear(const float* x, const float* w, const float* bias, float* out, int rows, int inputs,
                       int outputs) {
  __shared__ float x_tile[TILE][TILE];      // (row, input)
  __shared__ float w_tile[TILE][TILE + 1];  // (output, input)
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * TILE + ty, output = blockIdx.x * TILE + tx;
  const int w_row = blockIdx.x * TILE + ty;  // of the element that this thread loads

  float sum = 0;
  for (int first = 0; first < inputs; first += TILE) {
    const int input = first + tx;
    x_tile[ty][tx] = row < rows && input < inputs ? x[row * inputs + input] : 0;
    w_tile[ty][tx] = w_row < outputs && input < inputs ? w[w_row * inputs + input] : 0;
    for (int i = 0; i < TILE; ++i) sum += x_tile[ty][i] * w_tile[tx][i];
    __syncthreads();  // all warps have read the tiles before the next ones replace them
  }
  if (row < rows && output < outputs) out[row * outputs + output] = sum + bias[output];
}
