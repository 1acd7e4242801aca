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
