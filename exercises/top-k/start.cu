// out[r][0 … k − 1] = the k largest elements of row r of x (rows × columns, row-major), in descending order.
// Launch: top_k<<<ceil(rows / WARPS), BLOCK>>>(x, out, rows, columns, k)
constexpr int BLOCK = 128, WARPS = BLOCK / 32, MOST = 8;

__global__ void top_k(const float* x, float* out, int rows, int columns, int k) {
  const int lane = threadIdx.x % 32;
  const int r = blockIdx.x * WARPS + threadIdx.x / 32;
  if (r >= rows) return;  // the same for all lanes of the warp
  float best[MOST];       // the largest elements that this lane has seen, in descending order
  for (int j = 0; j < MOST; ++j) best[j] = -INFINITY;
  // TODO: each lane looks at its share of the row
  // TODO: k rounds over the heads of the lists
  if (lane < k) out[r * k + lane] = best[0];
}
