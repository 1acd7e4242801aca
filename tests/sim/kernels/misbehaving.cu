// One bug to a kernel, beside a kernel that looks alike and is right.
extern "C" __global__ void read_past_end(const float* a, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = a[i];  // out is longer than a [read]
}

extern "C" __global__ void read_inside(const float* a, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float x = a[i];
  out[i] = x;
}
extern "C" __global__ void write_before_begin(float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i - 1] = 1.0f;  // [write]
}
extern "C" __global__ void read_misaligned(const float* a, float4* out) {
  out[threadIdx.x] = *reinterpret_cast<const float4*>(a + 4 * threadIdx.x + 1);  // [read]
}
extern "C" __global__ void read_aligned(const float* a, float4* out) {
  out[threadIdx.x] = *reinterpret_cast<const float4*>(a + 4 * threadIdx.x + 4);
}
extern "C" __global__ void accumulate(float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] += 1.0f;  // [add]
}
extern "C" __global__ void write_then_read(float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    out[i] = 1.0f;
    __threadfence();
    out[i] += *(volatile float*)(out + i);
  }
}
extern "C" __global__ void spin(volatile int* flag) {
  while (*flag == 0) {  // [wait]
  }
}
extern "C" __global__ void trap_in_lane_5(float* out) {
  if (threadIdx.x == 5) __trap();  // [trap]
  out[threadIdx.x] = 1.0f;
}
extern "C" __global__ void leave_before_barrier(float* out, int n) {
  __shared__ float tile[64];
  if (threadIdx.x >= n) return;
  tile[threadIdx.x] = threadIdx.x;
  __syncthreads();  // [barrier]
  out[threadIdx.x] = tile[n - 1 - threadIdx.x];
}
extern "C" __global__ void read_unwritten_shared(float* out) {
  __shared__ float tile[64];
  if (threadIdx.x != 7) tile[threadIdx.x] = 1.0f;
  __syncthreads();
  out[threadIdx.x] = tile[63 - threadIdx.x];  // [read]
}
extern "C" __global__ void dereference_null(float* out) {
  float* nowhere = nullptr;
  asm volatile("" : "+l"(nowhere));
  out[threadIdx.x] = nowhere[threadIdx.x];  // [read]
}
