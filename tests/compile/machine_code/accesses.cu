// Memory instructions of every kind and width. tools/list_machine_code.py makes the cubins and the list beside this.
#include <cuda_fp16.h>

extern "C" __global__ void widths(const char* in, char* out) {
  const int t = threadIdx.x;
  out[t] = in[t] + 1;
  reinterpret_cast<short*>(out)[64 + t] = reinterpret_cast<const short*>(in)[64 + t] + 1;
  reinterpret_cast<int*>(out)[64 + t] = reinterpret_cast<const int*>(in)[64 + t] + 1;
  reinterpret_cast<double*>(out)[64 + t] = reinterpret_cast<const double*>(in)[64 + t] + 1;
  reinterpret_cast<float4*>(out)[64 + t] = reinterpret_cast<const float4*>(in)[64 + t];
}

extern "C" __global__ void copies(const char* in, int* out) {
  __shared__ __align__(16) char tile[8192];
  const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(tile)) + threadIdx.x * 16;
  const char* from = in + threadIdx.x * 16;
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(from));
  asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(to + 16), "l"(from + 16));
  asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(to + 32), "l"(from + 32));
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to + 48), "l"(from + 48));
  asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16;" ::"r"(to + 64), "l"(from + 64));
  asm volatile("cp.async.wait_all;");
  __syncthreads();
  unsigned a, b, c, d;
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(a) : "r"(to));
  out[threadIdx.x] = a;
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];" : "=r"(a), "=r"(b) : "r"(to));
  out[100 + threadIdx.x] = a + b;
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
               : "r"(to));
  out[200 + threadIdx.x] = a + b + c + d;
}

extern "C" __global__ void atomics(int* words, unsigned long long* wide, float* floats, __half2* halves) {
  __shared__ int bins[64];
  const int t = threadIdx.x;
  bins[t] = 0;
  __syncthreads();
  atomicMax(&bins[t & 3], t);
  atomicCAS(&bins[t & 15], 1, 2);
  __syncthreads();
  words[t] = atomicAdd(&words[t + 100], bins[t]);
  wide[t] = atomicAdd(&wide[t + 100], 5ull);
  floats[t] = atomicAdd(&floats[t + 100], 1.0f);
  atomicAdd(&words[t + 200], 3);
  atomicAdd(&floats[t + 200], 3.0f);
  atomicAdd(&halves[t], __float2half2_rn(1.0f));
  words[t + 300] = atomicCAS(&words[t + 400], 1, 2);
}

// ptxas reads four words of the tile at once.
extern "C" __global__ void merged(const float* in, float* out) {
  __shared__ float tile[32];
  const int t = threadIdx.x;
  tile[t] = in[t];
  __syncthreads();
  float sum = 0;
#pragma unroll
  for (int i = 0; i < 32; ++i) sum += tile[i];
  out[t] = sum;
}

// Here it cannot.
extern "C" __global__ void kept(const float* in, float* out, int n) {
  __shared__ float tile[32][33];
  const int x = threadIdx.x, y = threadIdx.y;
  tile[y][x] = in[y * n + x];
  __syncthreads();
  out[y * n + x] = tile[x][y];
}
