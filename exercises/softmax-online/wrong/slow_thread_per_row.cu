// Slow: online and right, but a thread has a row for itself: neighbouring lanes are a row apart.
//
// Launch: softmax<<<ceil(rows / 32), 32>>>(x, out, rows, columns)
#include <cfloat>

// What is known of the elements seen so far: their maximum, and the sum of exp(x - max).
struct Running {
  float max, sum;
};

// A finite start: -∞ - (-∞) would be NaN where two threads merge that have seen nothing.
__device__ Running nothing_yet() { return {-FLT_MAX, 0}; }

__device__ Running merge(Running a, Running b) {
  float max = fmaxf(a.max, b.max);
  return {max, a.sum * expf(a.max - max) + b.sum * expf(b.max - max)};
}

__global__ void softmax(const float* x, float* out, int rows, int columns) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  const float* row = x + r * columns;
  Running running = nothing_yet();
  for (int c = 0; c < columns; ++c) running = merge(running, {row[c], 1});
  for (int c = 0; c < columns; ++c) out[r * columns + c] = expf(row[c] - running.max) / running.sum;
}
