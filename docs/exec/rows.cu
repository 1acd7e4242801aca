// Rows that lie anywhere in memory, given by an array of pointers.
struct Range {
  int first, last;
};

__global__ void sum_rows(float** rows, float* y, Range range) {
  float sum = 0;
  for (int row = range.first; row < range.last; ++row) sum += rows[row][threadIdx.x];
  y[threadIdx.x] = sum;
}
