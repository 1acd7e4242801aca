// out[i] = sin(a[i]) · cos(a[i]) for i < n, as two operators: correct, and five accesses for each element.
// TODO: write one kernel `sin_cos(a, out, n)` that needs two accesses, and one Launch line for it.
//
// Launch: sine<<<ceil(n / 256), 256>>>(a, out, n)
// Launch: times_cosine<<<ceil(n / 256), 256>>>(a, out, n)

__global__ void sine(const float* a, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = sinf(a[i]);
}

__global__ void times_cosine(const float* a, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] *= cosf(a[i]);
}
