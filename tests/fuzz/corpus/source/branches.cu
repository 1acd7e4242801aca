#define T 256
#ifdef WIDE
#define N (1 << 22)
#else
#define N (1 << 20)
#endif
__global__ void k(float* x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] = 1; }
int main(int argc, char** argv) {
  int n = N, blocks = (n + T - 1) / T, p = 1, sms = 0;
  if (argc > 1) n = atoi(argv[1]); else if (n >= 4096 && blocks != 3 || p == 0) { blocks = 7; } else blocks++;
  while (p < n) p *= 2;
  for (int i = 0; i < 3; ++i) p += i;
  do { --p; } while (p > 5);
  cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0);
  dim3 grid, block(T);
  if (blocks > 1024) grid = dim3(1024); else grid.x <<= 1;
  float* x;
#if 0
  cudaMalloc(&x, 12);
#elif 1
  cudaMalloc(&x, n * sizeof(float));
#endif
  cudaMemset2D(x, 128, 0, 4, 4);
  auto time = [&](int n) mutable -> float { k<<<grid, block>>>(x, n); return 0; };
  std::cin >> p >> n;
  time(n);
}
