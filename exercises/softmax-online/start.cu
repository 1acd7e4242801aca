// Softmax of every row, with the maximum and the sum from one pass.
//
// Launch: softmax<<<rows, BLOCK>>>(x, out, rows, columns)
#define BLOCK 256

// What is known of the elements seen so far: their maximum, and the sum of exp(x - max).
struct Running {
  float max, sum;
};

__global__ void softmax(const float* x, float* out, int rows, int columns) {
  const float* row = x + static_cast<long long>(blockIdx.x) * columns;
  float* to = out + static_cast<long long>(blockIdx.x) * columns;
  Running running = {0, 0};
  for (int c = threadIdx.x; c < columns; c += BLOCK) {
    // TODO: take row[c] into `running`.
  }
  // TODO: merge the `running` of all threads.
  for (int c = threadIdx.x; c < columns; c += BLOCK) to[c] = expf(row[c] - running.max) / running.sum;
}
