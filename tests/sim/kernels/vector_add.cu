// Vector add in the forms that labs use.
extern "C" __global__ void add_scalar(const float* a, const float* b, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = a[i] + b[i];  // [add]
}

extern "C" __global__ void add_float2(const float2* a, const float2* b, float2* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float2 x = a[i], y = b[i];
    out[i] = make_float2(x.x + y.x, x.y + y.y);
  }
}

extern "C" __global__ void add_float4(const float4* __restrict__ a, const float4* __restrict__ b, float4* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float4 x = a[i], y = b[i];
    out[i] = make_float4(x.x + y.x, x.y + y.y, x.z + y.z, x.w + y.w);
  }
}

extern "C" __global__ void add_grid_stride(const float* a, const float* b, float* out, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] = a[i] + b[i];
}

extern "C" __global__ void add_shifted(const float* a, const float* b, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = a[i + 1] + b[i];
}

extern "C" __global__ void add_double(const double* a, const double* b, double* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = a[i] + b[i];
}

// Every thread walks a stretch of its own: lanes end at different times, and meet at the loop's head before that.
extern "C" __global__ void add_uneven(const float* a, const float* b, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k <= i % 7; ++k) {
    int at = i * 7 + k;
    if (at >= n) break;
    if ((at & 3) == 1) continue;
    out[at] = a[at] + b[at];
  }
}
