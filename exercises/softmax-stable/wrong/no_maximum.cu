// Wrong: exp overflows where values are about 100, because the maximum is not subtracted.
//
// Launch: softmax<<<rows, BLOCK>>>(x, out, rows, columns)
#define BLOCK 256

struct Add {
  __device__ float operator()(float x, float y) const { return x + y; }
};

// Reduces over all threads of the block: in each step half of the threads that are left add what the other half holds.
template <class Op>
__device__ float reduce(float mine, float* shared) {
  shared[threadIdx.x] = mine;
  __syncthreads();
  for (int half = BLOCK / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) shared[threadIdx.x] = Op()(shared[threadIdx.x], shared[threadIdx.x + half]);
    __syncthreads();
  }
  float all = shared[0];
  __syncthreads();  // the next reduction writes where other threads may still read
  return all;
}

__global__ void softmax(const float* x, float* out, int rows, int columns) {
  __shared__ float shared[BLOCK];
  const float* row = x + static_cast<long long>(blockIdx.x) * columns;
  float* to = out + static_cast<long long>(blockIdx.x) * columns;

  float sum = 0;
  for (int c = threadIdx.x; c < columns; c += BLOCK) sum += expf(row[c]);
  sum = reduce<Add>(sum, shared);

  float scale = 1 / sum;
  for (int c = threadIdx.x; c < columns; c += BLOCK) to[c] = expf(row[c]) * scale;
}
