// Wrong: threads look up entries that other warps may not have copied yet.
#define ENTRIES 8192
// Launch: look_up<<<ceil(n / 512), 512>>>(table, index, out, n)
__global__ void look_up(const float* table, const int* index, float* out, int n) {
  __shared__ float4 copy[ENTRIES / 4];
  for (int k = threadIdx.x; k < ENTRIES / 4; k += blockDim.x) copy[k] = reinterpret_cast<const float4*>(table)[k];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = reinterpret_cast<const float*>(copy)[index[i]];
}
