// out[i] = a[i] + 10 for i < n. The same work, shared out three times: one thread does everything, then the threads of
// one block, then a whole grid with one thread per element. How the host launches them is on the page Host.

// <<<1, 1>>>: one thread takes one element after the other.
extern "C" __global__ void one_thread(const float* a, float* out, int n) {
  for (int i = 0; i < n; ++i) out[i] = a[i] + 10.0f;
}

// <<<1, BLOCK>>>: thread t takes the elements t, t + BLOCK, t + 2 BLOCK, …
extern "C" __global__ void one_block(const float* a, float* out, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) out[i] = a[i] + 10.0f;
}

// <<<⌈n / BLOCK⌉, BLOCK>>>: each thread takes one element. The last block may have threads without one.
extern "C" __global__ void whole_grid(const float* a, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = a[i] + 10.0f;
}
