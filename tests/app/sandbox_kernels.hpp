// Kernels as people write them, for tests of the Sandbox.
#pragma once

namespace tilescope::testing {

inline constexpr const char* kSaxpy = R"(
__global__ void saxpy(int n, float a, const float* x, float* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}
)";

inline constexpr const char* kScale = R"(
template <typename T>
__global__ void scale(const T* __restrict__ x, T* __restrict__ y, T factor, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) y[i] = factor * x[i];
}
int main() { scale<double><<<64, 128>>>(nullptr, nullptr, 2.0, 1); }
)";

inline constexpr const char* kMatmul = R"(
#define TILE 16
__global__ void matmul(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float a[TILE][TILE], b[TILE][TILE];
  int row = blockIdx.y * TILE + threadIdx.y, col = blockIdx.x * TILE + threadIdx.x;
  float sum = 0;
  for (int t = 0; t < (K + TILE - 1) / TILE; ++t) {
    a[threadIdx.y][threadIdx.x] = row < M && t * TILE + threadIdx.x < K ? A[row * K + t * TILE + threadIdx.x] : 0;
    b[threadIdx.y][threadIdx.x] = col < N && t * TILE + threadIdx.y < K ? B[(t * TILE + threadIdx.y) * N + col] : 0;
    __syncthreads();
    for (int k = 0; k < TILE; ++k) sum += a[threadIdx.y][k] * b[k][threadIdx.x];
    __syncthreads();
  }
  if (row < M && col < N) C[row * N + col] = sum;
}
)";

inline constexpr const char* kSoftmax = R"(
__global__ void softmax(const float* in, float* out, int rows, int cols) {
  const float* x = in + blockIdx.x * cols;
  float* y = out + blockIdx.x * cols;
  extern __shared__ float partial[];
  float sum = 0;
  for (int i = threadIdx.x; i < cols; i += blockDim.x) sum += expf(x[i]);
  partial[threadIdx.x] = sum;
  __syncthreads();
  for (int s = blockDim.x / 2; s > 0; s /= 2) {
    if (threadIdx.x < s) partial[threadIdx.x] += partial[threadIdx.x + s];
    __syncthreads();
  }
  for (int i = threadIdx.x; i < cols; i += blockDim.x) y[i] = expf(x[i]) / partial[0];
}
)";

inline constexpr const char* kBlockSums = R"(
__global__ void block_sums(const float* x, float* partial, int n) {
  __shared__ float s[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  s[threadIdx.x] = i < n ? x[i] : 0;
  __syncthreads();
  for (int k = 128; k > 0; k /= 2) {
    if (threadIdx.x < k) s[threadIdx.x] += s[threadIdx.x + k];
    __syncthreads();
  }
  if (threadIdx.x == 0) partial[blockIdx.x] = s[0];
}
)";

inline constexpr const char* kHistogram = R"(
__global__ void histogram(const unsigned char* data, unsigned int* bins, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&bins[data[i]], 1u);
}
)";

inline constexpr const char* kTranspose = R"(
#define TILE_DIM 32
#define BLOCK_ROWS 8
__global__ void transpose(float* odata, const float* idata) {
  __shared__ float tile[TILE_DIM][TILE_DIM + 1];
  int x = blockIdx.x * TILE_DIM + threadIdx.x;
  int y = blockIdx.y * TILE_DIM + threadIdx.y;
  int width = gridDim.x * TILE_DIM;
  for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS) tile[threadIdx.y + j][threadIdx.x] = idata[(y + j) * width + x];
  __syncthreads();
  x = blockIdx.y * TILE_DIM + threadIdx.x;
  y = blockIdx.x * TILE_DIM + threadIdx.y;
  for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS) odata[(y + j) * width + x] = tile[threadIdx.x][threadIdx.y + j];
}
)";

inline constexpr const char* kStructure = R"(
struct Params { const float* x; float* y; int n; float factor; };
__global__ void with_struct(Params p) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < p.n) p.y[i] = p.factor * p.x[i];
}
)";

inline constexpr const char* kVectors = R"(
__global__ void vec4(const float4* x, float4* y, int n4) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n4) { float4 v = x[i]; v.x += 1; y[i] = v; }
}
)";

inline constexpr const char* kHello = R"(
#include <cstdio>

#include "tests/testing.hpp"
__global__ void hello() { printf("hello from %d\n", (int)threadIdx.x); }
)";

inline constexpr const char* kAliased = R"(
using real = float;
typedef unsigned int index_t;
extern "C" __global__ void __launch_bounds__(128) gather(const real *values, const index_t *idx, real *out, index_t n) {
  const unsigned i = threadIdx.x + blockIdx.x * blockDim.x;
  if (i >= n) return;
  out[i] = values[idx[i]];
}
)";

}  // namespace tilescope::testing
