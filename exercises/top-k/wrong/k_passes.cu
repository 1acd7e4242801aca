// Correct but slow: passes over the row for every result, and skips the elements that come before the last one found.
// Launch: top_k<<<ceil(rows / WARPS), BLOCK>>>(x, out, rows, columns, k)
constexpr int BLOCK = 128, WARPS = BLOCK / 32;

__global__ void top_k(const float* x, float* out, int rows, int columns, int k) {
  const int lane = threadIdx.x % 32;
  const int r = blockIdx.x * WARPS + threadIdx.x / 32;
  if (r >= rows) return;
  const float* row = x + r * columns;
  float last = INFINITY;  // the previous result
  int place = -1;         // and where it stands: equal elements come in the order of their columns
  for (int round = 0; round < k; ++round) {
    float best = -INFINITY;
    int column = columns;
    for (int c = lane; c < columns; c += 32) {
      const float value = row[c];
      if ((value < last || (value == last && c > place)) && value > best) best = value, column = c;
    }
    for (int distance = 16; distance > 0; distance /= 2) {
      const float value = __shfl_xor_sync(0xffffffff, best, distance);
      const int c = __shfl_xor_sync(0xffffffff, column, distance);
      if (value > best || (value == best && c < column)) best = value, column = c;
    }
    last = best;
    place = column;
    if (lane == 0) out[r * k + round] = best;
  }
}
