// Every block holds its own ticket for the last one and adds up sums that are not there yet.
// loss[0] = mean over i < n of (prediction[i] - target[i])², in one launch.
// Each block leaves the sum of its elements in `partial` and takes a ticket. The block that gets the last ticket adds
// up the partial sums. The tickets wrap to 0, so the counter is ready for the next launch.
#define THREADS 256
#define ITEMS 8

// Only thread 0 has the sum.
__device__ float block_sum(float value) {
  __shared__ float of_warp[THREADS / 32];
  for (int stride = 16; stride > 0; stride /= 2) value += __shfl_down_sync(0xffffffff, value, stride);
  __syncthreads();  // an earlier call has been read
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = value;
  __syncthreads();
  value = threadIdx.x < THREADS / 32 ? of_warp[threadIdx.x] : 0;
  for (int stride = 16; stride > 0; stride /= 2) value += __shfl_down_sync(0xffffffff, value, stride);
  return value;
}

// Launch: mean_squared_error<<<ceil(n / (THREADS * ITEMS)), THREADS>>>(prediction, target, partial, tickets, loss, n)
__global__ void mean_squared_error(const float* prediction, const float* target, float* partial, unsigned* tickets,
                                   float* loss, int n) {
  __shared__ bool last;
  float sum = 0;
  for (int k = 0; k < ITEMS; ++k) {
    const int i = (blockIdx.x * ITEMS + k) * THREADS + threadIdx.x;
    const float error = i < n ? prediction[i] - target[i] : 0;
    sum += error * error;
  }
  sum = block_sum(sum);
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = sum;
    __threadfence();  // whoever sees the ticket sees the partial sum as well
    last = atomicInc(tickets, gridDim.x - 1) <= gridDim.x - 1;
    __threadfence();  // the partial sums are read after the ticket
  }
  __syncthreads();
  if (!last) return;
  float total = 0;
  for (int block = threadIdx.x; block < gridDim.x; block += THREADS) total += partial[block];
  total = block_sum(total);
  if (threadIdx.x == 0) loss[0] = total / n;
}
