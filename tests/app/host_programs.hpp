// Files with a main() as people write them, for tests of what the Sandbox reads from it.
#pragma once

namespace tilescope::testing {

inline constexpr const char* kHistogramProgram = R"(#include <cstdio>
#define BINS 256

__global__ void histogram(const unsigned char* data, int* bins, int n) {
  __shared__ int local[BINS];
  for (int b = threadIdx.x; b < BINS; b += blockDim.x) local[b] = 0;
  __syncthreads();
  int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) atomicAdd(&local[data[i]], 1);
  __syncthreads();
  for (int b = threadIdx.x; b < BINS; b += blockDim.x) atomicAdd(&bins[b], local[b]);
}

int main() {
  const int n = 1 << 20;
  unsigned char* d_data;
  int* d_bins;
  cudaMalloc(&d_data, n);
  cudaMalloc(&d_bins, BINS * sizeof(int));
  cudaMemset(d_bins, 0, BINS * sizeof(int));
  histogram<<<64, 256>>>(d_data, d_bins, n);
  cudaDeviceSynchronize();
}
)";

inline constexpr const char* kVectorAddProgram = R"(#include <cstdio>
#include <cstdlib>
#define CHECK(call) do { cudaError_t e = (call); if (e != cudaSuccess) { printf("%s\n", cudaGetErrorString(e)); exit(1); } } while (0)
#define CEIL_DIV(a, b) (((a) + (b) - 1) / (b))
__global__ void add(const float* a, const float* b, float* c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}
int main(int argc, char** argv) {
  int n = argc > 1 ? atoi(argv[1]) : 100000;
  size_t bytes = n * sizeof(float);
  float *d_a, *d_b, *d_c;
  CHECK(cudaMalloc((void**)&d_a, bytes));
  CHECK(cudaMalloc((void**)&d_b, bytes));
  CHECK(cudaMalloc((void**)&d_c, bytes));
  int threads = 128;
  int blocks = CEIL_DIV(n, threads);
  add<<<blocks, threads>>>(d_a, d_b, d_c, n);
  CHECK(cudaGetLastError());
}
)";

// Each thread adds two elements while it loads: blockDim.x * 2 per block.
inline constexpr const char* kReductionProgram = R"(
__global__ void reduce(const float* in, float* out, unsigned int n) {
  extern __shared__ float s[];
  unsigned int t = threadIdx.x, i = blockIdx.x * (blockDim.x * 2) + threadIdx.x;
  float v = i < n ? in[i] : 0;
  if (i + blockDim.x < n) v += in[i + blockDim.x];
  s[t] = v;
  __syncthreads();
  for (unsigned int k = blockDim.x / 2; k > 0; k >>= 1) {
    if (t < k) s[t] += s[t + k];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}
int main() {
  const unsigned int N = 1u << 18;
  const int threads = 256;
  const int blocks = (N + threads * 2 - 1) / (threads * 2);
  float *d_in = nullptr, *d_out = nullptr;
  cudaMalloc(&d_in, N * sizeof(float));
  cudaMalloc(&d_out, blocks * sizeof(float));
  reduce<<<blocks, threads, threads * sizeof(float)>>>(d_in, d_out, N);
}
)";

inline constexpr const char* kStencilProgram = R"(
constexpr int RADIUS = 2;
__global__ void blur(const float* in, float* out, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  float sum = 0;
  for (int dy = -RADIUS; dy <= RADIUS; ++dy)
    for (int dx = -RADIUS; dx <= RADIUS; ++dx) {
      int u = min(max(x + dx, 0), width - 1), v = min(max(y + dy, 0), height - 1);
      sum += in[v * width + u];
    }
  out[y * width + x] = sum;
}
int main() {
  int width = 640, height = 480;
  float *d_in, *d_out;
  cudaMalloc(&d_in, width * height * sizeof(float));
  cudaMalloc(&d_out, width * height * sizeof(float));
  dim3 block(32, 8);
  dim3 grid((width + block.x - 1) / block.x, (height + block.y - 1) / block.y);
  blur<<<grid, block>>>(d_in, d_out, width, height);
}
)";

inline constexpr const char* kTransposeProgram = R"(
const int TILE_DIM = 32, BLOCK_ROWS = 8;
__global__ void transpose(float* odata, const float* idata, int width) {
  __shared__ float tile[TILE_DIM][TILE_DIM + 1];
  int x = blockIdx.x * TILE_DIM + threadIdx.x, y = blockIdx.y * TILE_DIM + threadIdx.y;
  for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS) tile[threadIdx.y + j][threadIdx.x] = idata[(y + j) * width + x];
  __syncthreads();
  x = blockIdx.y * TILE_DIM + threadIdx.x;
  y = blockIdx.x * TILE_DIM + threadIdx.y;
  for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS) odata[(y + j) * width + x] = tile[threadIdx.x][threadIdx.y + j];
}
int main() {
  const int nx = 256, ny = 256;
  const int mem_size = nx * ny * sizeof(float);
  dim3 dimGrid(nx / TILE_DIM, ny / TILE_DIM, 1), dimBlock(TILE_DIM, BLOCK_ROWS, 1);
  float *d_idata, *d_tdata;
  cudaMalloc(&d_idata, mem_size);
  cudaMalloc(&d_tdata, mem_size);
  transpose<<<dimGrid, dimBlock>>>(d_tdata, d_idata, nx);
  transpose<<<dimGrid, dimBlock>>>(d_tdata, d_idata, nx);
}
)";

inline constexpr const char* kTemplateProgram = R"(
template <typename T, int BLOCK>
__global__ void scale(const T* x, T* y, T factor, size_t n) {
  size_t i = static_cast<size_t>(blockIdx.x) * BLOCK + threadIdx.x;
  if (i < n) y[i] = factor * x[i];
}
template <typename T>
void run(size_t n) {
  constexpr int BLOCK = 128;
  T *x, *y;
  cudaMalloc(&x, n * sizeof(T));
  cudaMalloc(&y, n * sizeof(T));
  scale<T, BLOCK><<<static_cast<unsigned>((n + BLOCK - 1) / BLOCK), BLOCK>>>(x, y, T(3), n);
  cudaFree(x);
  cudaFree(y);
}
int main() {
  run<double>(5000);
  run<float>(1 << 20);
}
)";

inline constexpr const char* kLauncherProgram = R"(
struct Matrix { int rows, cols; float* data; };
__global__ void row_sums(const float* m, float* sums, int rows, int cols) {
  int row = blockIdx.x;
  __shared__ float part[128];
  float sum = 0;
  for (int c = threadIdx.x; c < cols; c += blockDim.x) sum += m[row * cols + c];
  part[threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int k = 1; k < 128; ++k) sum += part[k];
    sums[row] = sum;
  }
}
void launch_row_sums(const float* m, float* sums, int rows, int cols, cudaStream_t stream) {
  row_sums<<<rows, 128, 0, stream>>>(m, sums, rows, cols);
}
float* device_floats(size_t count) {
  float* p = nullptr;
  cudaMalloc(&p, count * sizeof(float));
  return p;
}
int main() {
  const int rows = 300, cols = 1000;
  float* m = device_floats(rows * cols);
  float* sums = device_floats(rows);
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  launch_row_sums(m, sums, rows, cols, stream);
}
)";

inline constexpr const char* kStreamsProgram = R"(#include <vector>
inline int div_up(int a, int b) { return a % b != 0 ? a / b + 1 : a / b; }
__global__ void square(float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= x[i];
}
int main() {
  const int n = 1 << 16, streams = 4, part = n / streams;
  std::vector<float> h(n, 1.0f);
  float* d[4];
  cudaStream_t s[4];
  for (int i = 0; i < streams; ++i) {
    cudaStreamCreate(&s[i]);
    cudaMalloc(&d[i], part * sizeof(float));
    cudaMemcpyAsync(d[i], h.data() + i * part, part * sizeof(float), cudaMemcpyHostToDevice, s[i]);
  }
  for (int i = 0; i < streams; ++i) square<<<div_up(part, 256), 256, 0, s[i]>>>(d[i], part);
}
)";

inline constexpr const char* kMatmulProgram = R"(
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
int main() {
  int M = 128, N = 256, K = 64;
  float *dA, *dB, *dC;
  cudaMallocManaged(&dA, sizeof(float) * M * K);
  cudaMallocManaged(&dB, sizeof(float) * K * N);
  cudaMallocManaged(&dC, sizeof(float) * M * N);
  dim3 threads = {TILE, TILE};
  dim3 blocks;
  blocks.x = (N + TILE - 1) / TILE;
  blocks.y = (M + TILE - 1) / TILE;
  matmul<<<blocks, threads>>>(dA, dB, dC, M, N, K);
}
)";

inline constexpr const char* kThrustProgram = R"(#include <thrust/device_vector.h>
__global__ void fill(int* out, int n, int value) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] += value;
}
int main() {
  int n = 3000;
  thrust::device_vector<int> out(n);
  fill<<<std::min(div_up(n, 256), 8), 256>>>(thrust::raw_pointer_cast(out.data()), n, 7);
}
)";

inline constexpr const char* kFloatingProgram = R"(
#include <cmath>

#include "tests/testing.hpp"
const int N = 1000;
enum { THREADS = 64 };
__global__ void axpy(float a, const double* x, double* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] += a * x[i];
}
double *x, *y;
int main() {
  cudaMalloc(&x, N * sizeof(*x));
  cudaMalloc(&y, N * sizeof(double));
  cudaMemset(y, 0, N * sizeof(double));
  axpy<<<(int)ceil((float)N / THREADS), THREADS>>>(1.0f / 8, x, y, N);
}
)";

inline constexpr const char* kBatchedProgram = R"(
__global__ void copy4(const float4* in, float4* out, int n4) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n4) out[i] = in[i];
}
int main() {
  int n = 4096;
  float *in, *out;
  cudaMalloc(&in, n * sizeof(float));
  cudaMalloc(&out, n * sizeof(float));
  int threads = n < 1024 ? n : 1024;
  copy4<<<(n / 4 - 1) / threads + 1, threads>>>(reinterpret_cast<const float4*>(in), (float4*)out, n / 4);
}
)";

}  // namespace tilescope::testing
