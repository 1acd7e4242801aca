// y = factor * x, as a program of its own.
#include <cstdio>
#include <vector>

__global__ void scale(const float* x, float* y, float factor, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = factor * x[i];
}

int main() {
  const int n = 100000;
  float *x, *y;
  cudaMalloc(&x, n * sizeof(float));
  cudaMalloc(&y, n * sizeof(float));
  scale<<<(n + 255) / 256, 256>>>(x, y, 0.5f, n);
  cudaDeviceSynchronize();
  printf("done\n");
}
