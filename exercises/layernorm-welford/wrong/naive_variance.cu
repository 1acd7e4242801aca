// Wrong: mean(x²) - mean² cancels where the mean is much larger than the deviation.
//
// Launch: layernorm<<<rows, BLOCK>>>(x, gamma, beta, out, rows, columns, epsilon)
#define BLOCK 256

__device__ float sum_block(float mine, float* shared) {
  shared[threadIdx.x] = mine;
  __syncthreads();
  for (int half = BLOCK / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) shared[threadIdx.x] += shared[threadIdx.x + half];
    __syncthreads();
  }
  float all = shared[0];
  __syncthreads();
  return all;
}

__global__ void layernorm(const float* x, const float* gamma, const float* beta, float* out, int rows, int columns,
                          float epsilon) {
  __shared__ float shared[BLOCK];
  const float* row = x + static_cast<long long>(blockIdx.x) * columns;
  float* to = out + static_cast<long long>(blockIdx.x) * columns;
  float sum = 0, squares = 0;
  for (int c = threadIdx.x; c < columns; c += BLOCK) {
    sum += row[c];
    squares += row[c] * row[c];
  }
  float mean = sum_block(sum, shared) / columns;
  float variance = sum_block(squares, shared) / columns - mean * mean;
  float scale = rsqrtf(variance + epsilon);
  for (int c = threadIdx.x; c < columns; c += BLOCK) to[c] = (row[c] - mean) * scale * gamma[c] + beta[c];
}
