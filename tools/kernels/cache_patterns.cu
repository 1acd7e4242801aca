// Accesses that tell how the caches behave, one question each; tools/calibrate_caches.py puts what the model says of
// them beside the counters of a GPU.

/// Every `step`-th word from the beginning, `passes` times; every block reads all of it.
extern "C" __global__ void read_all(const float* in, float* out, int words, int step, int passes) {
  float sum = 0;
  for (int pass = 0; pass < passes; ++pass)
    for (long long i = threadIdx.x; i * step < words; i += blockDim.x) sum += in[i * step];
  if (sum == 12345.0f) out[0] = sum;
}

/// The same, each block its own part.
extern "C" __global__ void read_parts(const float* in, float* out, int words, int step, int passes) {
  const int part = words / gridDim.x;
  float sum = 0;
  for (int pass = 0; pass < passes; ++pass)
    for (long long i = threadIdx.x; i * step < part; i += blockDim.x)
      sum += in[(long long)blockIdx.x * part + i * step];
  if (sum == 12345.0f) out[0] = sum;
}

/// A word for each thread of the grid, `step` words apart.
extern "C" __global__ void write_words(float* out, int step) {
  out[(blockIdx.x * (long long)blockDim.x + threadIdx.x) * step] = 1;
}

/// A byte for each thread of the grid, `step` bytes apart.
extern "C" __global__ void write_bytes(unsigned char* out, int step) {
  out[(blockIdx.x * (long long)blockDim.x + threadIdx.x) * step] = 1;
}

/// Half a sector by each of two warps, one after the other.
extern "C" __global__ void write_halves(float4* out) {
  const int block = blockIdx.x * 64;
  for (int half = 0; half < 2; ++half) {
    out[block + threadIdx.x * 2 + half] = make_float4(1, 2, 3, 4);
    __syncthreads();
  }
}

extern "C" __global__ void copy(const float4* in, float4* out) {
  const long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
  out[i] = in[i];
}

extern "C" __global__ void add_to_all(float* out, int words) {
  for (long long i = threadIdx.x; i < words; i += blockDim.x) atomicAdd(out + i, 1.0f);
}

/// Neighbouring blocks read rows and columns of the same matrix: reuse between the blocks of a wave.
extern "C" __global__ void transpose(const float* in, float* out, int n) {
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) out[(long long)x * n + y + j] = in[(long long)(y + j) * n + x];
}

/// C = A · B without tiles: every word of A and B is asked for n times.
extern "C" __global__ void matmul(const float* a, const float* b, float* c, int n) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + column];
  c[row * n + column] = sum;
}
