// Slow: 94% of the warps, but 157 blocks copy the table.
#define ENTRIES 8192
// Launch: look_up<<<ceil(n / 320), 320>>>(table, index, out, n)
__global__ void look_up(const float* table, const int* index, float* out, int n) {
  __shared__ float4 copy[ENTRIES / 4];
  for (int k = threadIdx.x; k < ENTRIES / 4; k += blockDim.x) copy[k] = reinterpret_cast<const float4*>(table)[k];
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = reinterpret_cast<const float*>(copy)[index[i]];
}
