// Correct, with one barrier, but all 256 values pass through shared memory before the first warp adds anything.
// Launch: warp_sum<<<rows, BLOCK>>>(x, out, rows, columns)
constexpr int BLOCK = 256;

__global__ void warp_sum(const float* x, float* out, int rows, int columns) {
  __shared__ float part[BLOCK];
  const float* row = x + blockIdx.x * columns;
  float sum = 0;
  for (int c = threadIdx.x; c < columns; c += BLOCK) sum += row[c];
  part[threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.x >= 32) return;
  for (int i = threadIdx.x + 32; i < BLOCK; i += 32) sum += part[i];
  for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_down_sync(0xffffffff, sum, distance);
  if (threadIdx.x == 0) out[blockIdx.x] = sum;
}
