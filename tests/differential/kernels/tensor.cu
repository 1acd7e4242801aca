// Matrix products by warps.
#include <cuda_fp16.h>
#include <mma.h>

using namespace nvcuda;

// One warp for each 16x16 tile of C; sizes are multiples of 16.
extern "C" __global__ void wmma_gemm(const half* A, const half* B, float* C, int M, int N, int K, float alpha,
                                     float beta) {
  int tile_m = blockIdx.y, tile_n = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  if (tile_n * 16 >= N) return;
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> b;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc, c;
  wmma::fill_fragment(acc, 0.0f);
  for (int k = 0; k < K; k += 16) {
    wmma::load_matrix_sync(a, A + tile_m * 16 * K + k, K);
    wmma::load_matrix_sync(b, B + tile_n * 16 * K + k, K);
    wmma::mma_sync(acc, a, b, acc);
  }
  float* out = C + tile_m * 16 * N + tile_n * 16;
  wmma::load_matrix_sync(c, out, N, wmma::mem_row_major);
  for (int i = 0; i < c.num_elements; i++) c.x[i] = alpha * acc.x[i] + beta * c.x[i];
  wmma::store_matrix_sync(out, c, N, wmma::mem_row_major);
}

extern "C" __global__ void wmma_bytes(const signed char* A, const signed char* B, int* C, int K) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, signed char, wmma::row_major> a;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, signed char, wmma::col_major> b;
  wmma::fragment<wmma::accumulator, 16, 16, 16, int> acc;
  wmma::fill_fragment(acc, 0);
  for (int k = 0; k < K; k += 16) {
    wmma::load_matrix_sync(a, A + k, K);
    wmma::load_matrix_sync(b, B + k, K);
    wmma::mma_sync(acc, a, b, acc);
  }
  wmma::store_matrix_sync(C, acc, 16, wmma::mem_row_major);
}

__device__ void mma_m16n8k16(float* d, const unsigned* a, const unsigned* b) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// The same by mma and ldmatrix: tiles of 16x16 of A and 8 columns of B (stored by columns) in shared memory.
extern "C" __global__ void mma_ldmatrix(const half* A, const half* B, float* C, int N, int K) {
  __shared__ __align__(16) half as[16][16], bs[8][16];
  const int lane = threadIdx.x, m0 = blockIdx.y * 16, n0 = blockIdx.x * 8;
  float d[4] = {};
  for (int k0 = 0; k0 < K; k0 += 16) {
    for (int i = lane; i < 16 * 8; i += 32) {
      int r = i / 8, c = i % 8 * 2;
      *reinterpret_cast<half2*>(&as[r][c]) = *reinterpret_cast<const half2*>(&A[(m0 + r) * K + k0 + c]);
      if (r < 8) *reinterpret_cast<half2*>(&bs[r][c]) = *reinterpret_cast<const half2*>(&B[(n0 + r) * K + k0 + c]);
    }
    __syncwarp();
    unsigned a[4], b[2];
    unsigned pa = (unsigned)__cvta_generic_to_shared(&as[lane % 16][lane / 16 * 8]);
    unsigned pb = (unsigned)__cvta_generic_to_shared(&bs[lane % 8][lane / 8 % 2 * 8]);
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(a[0]), "=r"(a[1]), "=r"(a[2]), "=r"(a[3]) : "r"(pa));
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];" : "=r"(b[0]), "=r"(b[1]) : "r"(pb));
    mma_m16n8k16(d, a, b);
    __syncwarp();
  }
  const int row = m0 + lane / 4, col = n0 + lane % 4 * 2;
  C[row * N + col] = d[0];
  C[row * N + col + 1] = d[1];
  C[(row + 8) * N + col] = d[2];
  C[(row + 8) * N + col + 1] = d[3];
}
