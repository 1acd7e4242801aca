// LayerNorm of every row: out[r][c] = (x[r][c] - mean) / sqrt(variance + epsilon) · gamma[c] + beta[c].
//
// Launch: layernorm<<<rows, BLOCK>>>(x, gamma, beta, out, rows, columns, epsilon)
#define BLOCK 256

// What is known of the elements seen so far: how many, their mean, and the sum of (x - mean)².
struct Moments {
  float count, mean, squares;
};

__global__ void layernorm(const float* x, const float* gamma, const float* beta, float* out, int rows, int columns,
                          float epsilon) {
  const float* row = x + static_cast<long long>(blockIdx.x) * columns;
  float* to = out + static_cast<long long>(blockIdx.x) * columns;
  Moments moments = {0, 0, 0};
  for (int c = threadIdx.x; c < columns; c += BLOCK) {
    // TODO: take row[c] into `moments`.
  }
  // TODO: merge the `moments` of all threads.
  float scale = rsqrtf(moments.squares / columns + epsilon);
  for (int c = threadIdx.x; c < columns; c += BLOCK) to[c] = (row[c] - moments.mean) * scale * gamma[c] + beta[c];
}
