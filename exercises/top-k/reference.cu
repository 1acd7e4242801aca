// Passes over the row once for each different value from the largest down, and counts how often it occurs.
// Launch: reference<<<ceil(rows * k / 32), 32>>>(x, out, rows, columns, k)
__global__ void reference(const float* x, double* out, int rows, int columns, int k) {
  const int i = blockIdx.x * 32 + threadIdx.x;
  if (i >= rows * k) return;
  const float* row = x + i / k * columns;
  float value = INFINITY;
  for (int found = 0; found <= i % k;) {
    float next = -INFINITY;
    int times = 0;
    for (int c = 0; c < columns; ++c) {
      if (row[c] >= value) continue;
      if (row[c] > next) times = 0;
      next = fmaxf(next, row[c]);
      if (row[c] == next) ++times;
    }
    value = next;
    found += times;
  }
  out[i] = value;
}
