// Wrong: the sums of g and of g · n, not divided by the number of columns.
//
// Launch: layernorm_backward<<<rows, BLOCK>>>(dy, x, gamma, dx, rows, columns, epsilon)
#define BLOCK 128

// The sum over all threads of the block; every thread gets it.
__device__ float sum_of_block(float mine) {
  __shared__ float partial[BLOCK];
  partial[threadIdx.x] = mine;
  __syncthreads();
  for (int half = BLOCK / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
    __syncthreads();
  }
  float sum = partial[0];
  __syncthreads();  // the next call overwrites partial
  return sum;
}

__global__ void layernorm_backward(const float* dy, const float* x, const float* gamma, float* dx, int rows,
                                   int columns, float epsilon) {
  long long first = static_cast<long long>(blockIdx.x) * columns;
  const float *row = x + first, *gradient = dy + first;
  float* to = dx + first;

  float sum = 0, squares = 0;
  for (int c = threadIdx.x; c < columns; c += BLOCK) sum += row[c];
  float mean = sum_of_block(sum) / columns;
  for (int c = threadIdx.x; c < columns; c += BLOCK) squares += (row[c] - mean) * (row[c] - mean);
  float rstd = rsqrtf(sum_of_block(squares) / columns + epsilon);

  float sum_g = 0, sum_gn = 0;
  for (int c = threadIdx.x; c < columns; c += BLOCK) {
    float g = gradient[c] * gamma[c];
    sum_g += g;
    sum_gn += g * (row[c] - mean) * rstd;
  }
  float mean_g = sum_of_block(sum_g);
  float mean_gn = sum_of_block(sum_gn);
  for (int c = threadIdx.x; c < columns; c += BLOCK) {
    float g = gradient[c] * gamma[c], n = (row[c] - mean) * rstd;
    to[c] = rstd * (g - mean_g - n * mean_gn);
  }
}
