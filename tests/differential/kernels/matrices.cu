// Matrix products, transposes and their relatives.
#include <cuda_fp16.h>

extern "C" __global__ void matmul_naive(const float* A, const float* B, float* C, int M, int N, int K) {
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < M && col < N) {
    float sum = 0.0f;
    for (int k = 0; k < K; ++k) sum += A[row * K + k] * B[k * N + col];
    C[row * N + col] = sum;
  }
}

template <int TILE>
__device__ void matmul_tile(const float* A, const float* B, float* C, int M, int N, int K, float alpha, float beta) {
  __shared__ float As[TILE][TILE];
  __shared__ float Bs[TILE][TILE + 1];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * TILE + ty, col = blockIdx.x * TILE + tx;
  float acc = 0;
  for (int t = 0; t < (K + TILE - 1) / TILE; t++) {
    As[ty][tx] = (row < M && t * TILE + tx < K) ? A[row * K + t * TILE + tx] : 0.f;
    Bs[ty][tx] = (col < N && t * TILE + ty < K) ? B[(t * TILE + ty) * N + col] : 0.f;
    __syncthreads();
#pragma unroll
    for (int k = 0; k < TILE; k++) acc += As[ty][k] * Bs[k][tx];
    __syncthreads();
  }
  if (row < M && col < N) C[row * N + col] = alpha * acc + beta * C[row * N + col];
}
extern "C" __global__ void matmul_tiled_16(const float* A, const float* B, float* C, int M, int N, int K, float alpha,
                                           float beta) {
  matmul_tile<16>(A, B, C, M, N, K, alpha, beta);
}
extern "C" __global__ void matmul_tiled_8(const float* A, const float* B, float* C, int M, int N, int K, float alpha,
                                          float beta) {
  matmul_tile<8>(A, B, C, M, N, K, alpha, beta);
}

// 32x32 of C for 64 threads: each has a 4x4 corner in registers; the next tiles are fetched while these are used.
extern "C" __global__ void __launch_bounds__(64)
    matmul_double_buffered(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int M,
                           int N, int K) {
  constexpr int BM = 32, BN = 32, BK = 8;
  __shared__ float a[2][BK][BM];
  __shared__ __align__(16) float b[2][BK][BN];
  const int t = threadIdx.x, tr = t / 8, tc = t % 8;
  const int row0 = blockIdx.y * BM, col0 = blockIdx.x * BN;
  float acc[4][4] = {};
  auto fetch = [&](int stage, int k0) {
    for (int i = t; i < BM * BK; i += 64) {
      int r = i / BK, k = i % BK;
      a[stage][k][r] = (row0 + r < M && k0 + k < K) ? A[(row0 + r) * K + k0 + k] : 0.f;
    }
    for (int i = t; i < BK * BN; i += 64) {
      int k = i / BN, c = i % BN;
      b[stage][k][c] = (k0 + k < K && col0 + c < N) ? B[(k0 + k) * N + col0 + c] : 0.f;
    }
  };
  fetch(0, 0);
  __syncthreads();
  int stage = 0;
  for (int k0 = 0; k0 < K; k0 += BK) {
    if (k0 + BK < K) fetch(stage ^ 1, k0 + BK);
#pragma unroll
    for (int k = 0; k < BK; ++k) {
      float x[4];
      for (int i = 0; i < 4; ++i) x[i] = a[stage][k][tr * 4 + i];
      const float4 y = *reinterpret_cast<const float4*>(&b[stage][k][tc * 4]);
      for (int i = 0; i < 4; ++i) {
        acc[i][0] = fmaf(x[i], y.x, acc[i][0]);
        acc[i][1] = fmaf(x[i], y.y, acc[i][1]);
        acc[i][2] = fmaf(x[i], y.z, acc[i][2]);
        acc[i][3] = fmaf(x[i], y.w, acc[i][3]);
      }
    }
    __syncthreads();
    stage ^= 1;
  }
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) {
      int r = row0 + tr * 4 + i, c = col0 + tc * 4 + j;
      if (r < M && c < N) C[r * N + c] = acc[i][j];
    }
}

extern "C" __global__ void matmul_double(const double* A, const double* B, double* C, int n) {
  __shared__ double As[8][8], Bs[8][8];
  int row = blockIdx.y * 8 + threadIdx.y, col = blockIdx.x * 8 + threadIdx.x;
  double sum = 0.0;
  for (int m = 0; m < n; m += 8) {
    As[threadIdx.y][threadIdx.x] = row < n && m + threadIdx.x < n ? A[row * n + m + threadIdx.x] : 0.0;
    Bs[threadIdx.y][threadIdx.x] = col < n && m + threadIdx.y < n ? B[(m + threadIdx.y) * n + col] : 0.0;
    __syncthreads();
    for (int k = 0; k < 8; ++k) sum += As[threadIdx.y][k] * Bs[k][threadIdx.x];
    __syncthreads();
  }
  if (row < n && col < n) C[row * n + col] = sum;
}

extern "C" __global__ void matmul_half(const __half* A, const __half* B, __half* C, int M, int N, int K) {
  int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (col >= N || row >= M) return;
  float acc = 0.f;
  for (int k = 0; k < K; k++) acc += __half2float(A[row * K + k]) * __half2float(B[k * N + col]);
  C[row * N + col] = __float2half(acc);
}

// Signed bytes, four products at a time; K is a multiple of 4 and B is stored by columns.
extern "C" __global__ void matmul_dp4a(const int* A, const int* B, int* C, int M, int N, int K4) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= M || col >= N) return;
  int acc = 0;
  for (int k = 0; k < K4; ++k) acc = __dp4a(A[row * K4 + k], B[col * K4 + k], acc);
  C[row * N + col] = acc;
}

#define TILE_DIM 32
#define BLOCK_ROWS 8

extern "C" __global__ void transpose_padded(float* odata, const float* idata, int width, int height) {
  __shared__ float tile[TILE_DIM][TILE_DIM + 1];
  int x = blockIdx.x * TILE_DIM + threadIdx.x;
  int y = blockIdx.y * TILE_DIM + threadIdx.y;
  for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
    if (x < width && y + j < height) tile[threadIdx.y + j][threadIdx.x] = idata[(y + j) * width + x];
  __syncthreads();
  x = blockIdx.y * TILE_DIM + threadIdx.x;
  y = blockIdx.x * TILE_DIM + threadIdx.y;
  for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
    if (x < height && y + j < width) odata[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
}

// In place, square: blocks above the diagonal swap two tiles.
extern "C" __global__ void transpose_in_place(unsigned short* m, int n) {
  __shared__ unsigned short upper[16][17], lower[16][17];
  if (blockIdx.x < blockIdx.y) return;
  int r = blockIdx.y * 16 + threadIdx.y, c = blockIdx.x * 16 + threadIdx.x;
  int r2 = blockIdx.x * 16 + threadIdx.y, c2 = blockIdx.y * 16 + threadIdx.x;
  if (r < n && c < n) upper[threadIdx.y][threadIdx.x] = m[r * n + c];
  if (r2 < n && c2 < n) lower[threadIdx.y][threadIdx.x] = m[r2 * n + c2];
  __syncthreads();
  if (r2 < n && c2 < n) m[r2 * n + c2] = upper[threadIdx.x][threadIdx.y];
  if (blockIdx.x != blockIdx.y && r < n && c < n) m[r * n + c] = lower[threadIdx.x][threadIdx.y];
}

// y = A x for a batch, one warp for each row.
extern "C" __global__ void gemv_batched(const float* A, const float* x, float* y, int rows, int cols) {
  const int batch = blockIdx.y;
  const int row = blockIdx.x * blockDim.y + threadIdx.y;
  if (row >= rows) return;
  const float* a = A + ((size_t)batch * rows + row) * cols;
  const float* v = x + (size_t)batch * cols;
  float sum = 0;
  for (int c = threadIdx.x; c < cols; c += 32) sum = fmaf(a[c], v[c], sum);
  for (int d = 16; d; d >>= 1) sum += __shfl_down_sync(0xffffffff, sum, d);
  if (threadIdx.x == 0) y[batch * rows + row] = sum;
}

extern "C" __global__ void spmv_csr_scalar(int rows, const int* row_ptr, const int* col, const float* val,
                                           const float* x, float* y) {
  int r = blockDim.x * blockIdx.x + threadIdx.x;
  if (r < rows) {
    float dot = 0;
    for (int j = row_ptr[r]; j < row_ptr[r + 1]; ++j) dot += val[j] * x[col[j]];
    y[r] = dot;
  }
}

extern "C" __global__ void spmv_csr_vector(int rows, const int* __restrict__ row_ptr, const int* __restrict__ col,
                                           const float* __restrict__ val, const float* __restrict__ x,
                                           float* __restrict__ y) {
  int lane = threadIdx.x & 31;
  int row = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;
  if (row >= rows) return;
  float sum = 0;
  for (int j = row_ptr[row] + lane, end = row_ptr[row + 1]; j < end; j += 32) sum += val[j] * __ldg(x + col[j]);
  for (int offset = 16; offset > 0; offset >>= 1) sum += __shfl_xor_sync(0xffffffff, sum, offset);
  if (lane == 0) y[row] = sum;
}

extern "C" __global__ void spmv_ell(int rows, int per_row, const int* indices, const float* data, const float* x,
                                    float* y) {
  int row = blockDim.x * blockIdx.x + threadIdx.x;
  if (row >= rows) return;
  float dot = 0;
  for (int n = 0; n < per_row; n++) {
    int c = indices[rows * n + row];
    if (c < 0) break;
    dot += data[rows * n + row] * x[c];
  }
  y[row] = dot;
}

extern "C" __global__ void spmv_coo(int nonzeros, const int* row, const int* col, const int* val, const int* x, int* y) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < nonzeros; i += gridDim.x * blockDim.x)
    atomicAdd(&y[row[i]], val[i] * x[col[i]]);
}
