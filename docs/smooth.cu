// A moving average with two mistakes, to try the simulator on:
//   ./tilescope exec docs/smooth.cu --grid 4 --block 256 --arg buf:f32:1000:normal:in --arg buf:f32:1000:zero:out --arg i32:1000
#include <cstdio>

__global__ void smooth(const float* in, float* out, int n) {
  __shared__ float tile[258];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x + 1] = in[i];
  if (threadIdx.x == 0) tile[0] = i > 0 ? in[i - 1] : 0;
  if (threadIdx.x == 255) tile[257] = i + 1 < n ? in[i + 1] : 0;
  float sum = tile[threadIdx.x] + tile[threadIdx.x + 1] + tile[threadIdx.x + 2];
  if (i < n) out[i] = sum / 3;
}

int main() {
  const int n = 1000;
  float *in, *out;
  cudaMalloc(&in, n * sizeof(float));
  cudaMalloc(&out, n * sizeof(float));
  smooth<<<(n + 255) / 256, 256>>>(in, out, n);
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
