// Slow: one pass and right, but a thread has a row for itself: neighbouring lanes are a row apart.
//
// Launch: layernorm<<<ceil(rows / 32), 32>>>(x, gamma, beta, out, rows, columns, epsilon)

// What is known of the elements seen so far: how many, their mean, and the sum of (x - mean)².
struct Moments {
  float count, mean, squares;
};

// Only distances are squared, so nothing large cancels. With b of one element this is Welford's step.
__device__ Moments merge(Moments a, Moments b) {
  float count = a.count + b.count;
  if (count == 0) return a;
  float distance = b.mean - a.mean, share = b.count / count;
  return {count, a.mean + distance * share, a.squares + b.squares + distance * distance * a.count * share};
}

__global__ void layernorm(const float* x, const float* gamma, const float* beta, float* out, int rows, int columns,
                          float epsilon) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  const float* row = x + r * columns;
  Moments moments = {0, 0, 0};
  for (int c = 0; c < columns; ++c) moments = merge(moments, {1, row[c], 0});
  float scale = rsqrtf(moments.squares / columns + epsilon);
  for (int c = 0; c < columns; ++c) out[r * columns + c] = (row[c] - moments.mean) * scale * gamma[c] + beta[c];
}
