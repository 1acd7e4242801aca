// C = A·B, row-major, in three classical forms: what the simulator's speed is measured with. Sizes are multiples of the
// tiles.
//
//   naive           one thread an element, both operands from global memory
//   shared_tiled    32 × 32 tiles of A and B in shared memory, one thread an element
//   register_tiled  128 × 128 tiles, 8 deep, of which each of 256 threads computes 8 × 8 elements in registers

extern "C" __global__ void naive(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int m,
                                 int n, int k) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= m || column >= n) return;
  float sum = 0;
  for (int i = 0; i < k; ++i) sum += a[row * k + i] * b[i * n + column];
  c[row * n + column] = sum;
}

extern "C" __global__ void shared_tiled(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c,
                                        int m, int n, int k) {
  constexpr int kTile = 32;
  __shared__ float tile_a[kTile][kTile], tile_b[kTile][kTile];
  const int x = threadIdx.x, y = threadIdx.y;
  const int column = blockIdx.x * kTile + x, row = blockIdx.y * kTile + y;
  float sum = 0;
  for (int first = 0; first < k; first += kTile) {
    tile_a[y][x] = a[row * k + first + x];
    tile_b[y][x] = b[(first + y) * n + column];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < kTile; ++i) sum += tile_a[y][i] * tile_b[i][x];
    __syncthreads();
  }
  c[row * n + column] = sum;
}

extern "C" __global__ void register_tiled(const float* __restrict__ a, const float* __restrict__ b,
                                          float* __restrict__ c, int m, int n, int k) {
  constexpr int kRows = 128, kColumns = 128, kDepth = 8, kEach = 8;
  __shared__ float tile_a[kDepth][kRows], tile_b[kDepth][kColumns];
  const int thread = threadIdx.x;
  const int row = thread / 16 * kEach, column = thread % 16 * kEach;
  a += blockIdx.y * kRows * k;
  b += blockIdx.x * kColumns;
  float sum[kEach][kEach] = {};
  const int a_row = thread / 2, a_depth = thread % 2 * 4;
  const int b_depth = thread / 32, b_column = thread % 32 * 4;
  for (int first = 0; first < k; first += kDepth) {
    const float4 from_a = *reinterpret_cast<const float4*>(a + a_row * k + first + a_depth);
    const float4 from_b = *reinterpret_cast<const float4*>(b + (first + b_depth) * n + b_column);
    tile_a[a_depth + 0][a_row] = from_a.x;
    tile_a[a_depth + 1][a_row] = from_a.y;
    tile_a[a_depth + 2][a_row] = from_a.z;
    tile_a[a_depth + 3][a_row] = from_a.w;
    *reinterpret_cast<float4*>(&tile_b[b_depth][b_column]) = from_b;
    __syncthreads();
#pragma unroll
    for (int depth = 0; depth < kDepth; ++depth) {
      float part_a[kEach], part_b[kEach];
#pragma unroll
      for (int i = 0; i < kEach; i += 4) {
        *reinterpret_cast<float4*>(part_a + i) = *reinterpret_cast<const float4*>(&tile_a[depth][row + i]);
        *reinterpret_cast<float4*>(part_b + i) = *reinterpret_cast<const float4*>(&tile_b[depth][column + i]);
      }
#pragma unroll
      for (int i = 0; i < kEach; ++i)
#pragma unroll
        for (int j = 0; j < kEach; ++j) sum[i][j] += part_a[i] * part_b[j];
    }
    __syncthreads();
  }
  c += (blockIdx.y * kRows + row) * n + blockIdx.x * kColumns + column;
#pragma unroll
  for (int i = 0; i < kEach; ++i)
#pragma unroll
    for (int j = 0; j < kEach; j += 4)
      *reinterpret_cast<float4*>(c + i * n + j) = make_float4(sum[i][j], sum[i][j + 1], sum[i][j + 2], sum[i][j + 3]);
}
