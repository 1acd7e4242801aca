// Correct but slow: a tree in shared memory with a barrier for each level.
// Launch: warp_sum<<<rows, BLOCK>>>(x, out, rows, columns)
constexpr int BLOCK = 256;

__global__ void warp_sum(const float* x, float* out, int rows, int columns) {
  __shared__ float part[BLOCK];
  const float* row = x + blockIdx.x * columns;
  float sum = 0;
  for (int c = threadIdx.x; c < columns; c += BLOCK) sum += row[c];
  part[threadIdx.x] = sum;
  __syncthreads();
  for (int stride = BLOCK / 2; stride > 0; stride /= 2) {
    if (threadIdx.x < stride) part[threadIdx.x] += part[threadIdx.x + stride];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = part[0];
}
