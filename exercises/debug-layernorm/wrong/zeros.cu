// Writes only zeros.
// LayerNorm of every row: out[r][c] = (x[r][c] - mean) / sqrt(variance + EPSILON) · gamma[c] + beta[c].
// A block has one row of at most THREADS · ITEMS columns. It holds the row in registers, ITEMS elements in each thread,
// so x is read only once although mean and variance are computed one after the other.
#define THREADS 128
#define ITEMS 4
#define EPSILON 1e-5f

// Every thread has the sum.
__device__ float block_sum(float value) {
  __shared__ float of_warp[THREADS / 32];
  for (int distance = 16; distance > 0; distance /= 2) value += __shfl_xor_sync(0xffffffff, value, distance);
  __syncthreads();  // an earlier call has been read
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = value;
  __syncthreads();
  float sum = 0;
  for (int warp = 0; warp < THREADS / 32; ++warp) sum += of_warp[warp];
  return sum;
}

// Launch: layernorm<<<rows, THREADS>>>(x, gamma, beta, out, columns)
__global__ void layernorm(const float* x, const float* gamma, const float* beta, float* out, int columns) {
  x += static_cast<long long>(blockIdx.x) * columns;
  out += static_cast<long long>(blockIdx.x) * columns;
  float held[ITEMS];
  float sum = 0;
  for (int i = 0; i < ITEMS; ++i) {
    const int c = i * THREADS + threadIdx.x;
    held[i] = c < columns ? x[c] : 0;
    sum += held[i];
  }
  const float mean = block_sum(sum) / columns;
  float squares = 0;
  for (int i = 0; i < ITEMS; ++i) {
    held[i] -= mean;
    if (i * THREADS + threadIdx.x < columns) squares += held[i] * held[i];  // the padding is not part of the row
  }
  const float rstd = rsqrtf(block_sum(squares) / columns + EPSILON);
  for (int i = 0; i < ITEMS; ++i) {
    const int c = i * THREADS + threadIdx.x;
    if (c < columns) out[c] = 0;
  }
}
