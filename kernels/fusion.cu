// total[row] = Σ relu(x[row, column] · s[column] + b[column]), for a matrix of rows × columns.
// First as four operators, each a kernel of its own; then with the element-wise ones fused; then all in one.
//
// BLOCK  threads per CTA, a power of two
#include "common.cuh"

// Adds up what the threads of a CTA hold, by a tree in shared memory. Thread 0 gets the sum.
__device__ inline float sum_of_block(float mine) {
  __shared__ float partial[BLOCK];
  partial[threadIdx.x] = mine;
  __syncthreads();
  for (int half = BLOCK / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
    __syncthreads();
  }
  return partial[0];
}

// A kernel per operator. Each result goes to memory as a whole matrix, and comes back for the next operator: seven
// accesses for each element.
extern "C" __global__ void scale(const float* x, const float* s, float* scaled, int n, int columns) {
  int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < n) scaled[i] = x[i] * s[i % columns];
}
extern "C" __global__ void shift(const float* scaled, const float* b, float* shifted, int n, int columns) {
  int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < n) shifted[i] = scaled[i] + b[i % columns];
}
extern "C" __global__ void relu(const float* shifted, float* y, int n) {
  int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < n) y[i] = fmaxf(shifted[i], 0);
}

// One CTA per row: each thread adds up every BLOCK-th element, then the CTA adds up its threads.
extern "C" __global__ void sum_rows(const float* y, float* total, int columns) {
  const float* row = y + (long long)blockIdx.x * columns;
  float sum = 0;
  for (int column = threadIdx.x; column < columns; column += BLOCK) {
    float value = row[column];
    sum += value;
  }
  sum = sum_of_block(sum);
  if (threadIdx.x == 0) total[blockIdx.x] = sum;
}

// Element-wise operators fused: x · s and x · s + b stay in registers. With sum_rows, three accesses are left.
extern "C" __global__ void scale_shift_relu(const float* x, const float* s, const float* b, float* y, int n,
                                            int columns) {
  int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < n) {
    float scaled = x[i] * s[i % columns];
    float shifted = scaled + b[i % columns];
    y[i] = fmaxf(shifted, 0);
  }
}

// Fused into the reduction: the loop that reads the row applies the element-wise operators to what it reads. y exists
// only in registers, one element at a time.
extern "C" __global__ void scale_shift_relu_sum(const float* x, const float* s, const float* b, float* total,
                                                int columns) {
  const float* row = x + (long long)blockIdx.x * columns;
  float sum = 0;
  for (int column = threadIdx.x; column < columns; column += BLOCK) {
    float scaled = row[column] * s[column];
    float shifted = scaled + b[column];
    float value = fmaxf(shifted, 0);
    sum += value;
  }
  sum = sum_of_block(sum);
  if (threadIdx.x == 0) total[blockIdx.x] = sum;
}
