// What stands between two layers of a Transformer: hidden = x + residual, then RMSNorm of every row of hidden,
// out[r][c] = hidden[r][c] / sqrt(mean over row r of hidden² + ε) · gamma[c]. Both results are needed: `out` by the
// next layer, `hidden` as its residual. Matrices have `rows` rows of `columns` elements, `gamma` has `columns`.
//
// BLOCK    threads per CTA                  VECTORS  vectors of 16 bytes that a thread holds
// DTYPE    0: fp32, 1: bf16 in memory
#include "rows.cuh"

__device__ float inverse_rms(float squares, int columns, float epsilon) { return rsqrtf(squares / columns + epsilon); }

/// As memory holds it, so that all rungs normalise the same numbers.
__device__ float rounded(float x) { return to_float(from_float(x)); }

// A kernel per operator. hidden goes to memory, and comes back for the norm.
extern "C" __global__ void add_residual(const Element* x, const Element* residual, Element* hidden, int n) {
  int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < n) hidden[i] = from_float(to_float(x[i]) + to_float(residual[i]));
}
extern "C" __global__ void normalise(const Element* hidden, const Element* gamma, Element* out, int columns,
                                     float epsilon) {
  __shared__ float per_warp[32];
  const long long row = static_cast<long long>(blockIdx.x) * columns;
  float squares = 0;
  for (int c = threadIdx.x; c < columns; c += BLOCK) {
    const float value = to_float(hidden[row + c]);
    squares += value * value;
  }
  const float scale = inverse_rms(reduce_cta<Add>(squares, per_warp), columns, epsilon);
  for (int c = threadIdx.x; c < columns; c += BLOCK)
    out[row + c] = from_float(to_float(hidden[row + c]) * scale * to_float(gamma[c]));
}

// Fused: the loop that adds the squares also adds the residual. A thread reads back only what it has written itself, so
// that no barrier is needed for hidden.
extern "C" __global__ void fused(const Element* x, const Element* residual, const Element* gamma, Element* out,
                                 Element* hidden, int columns, float epsilon) {
  __shared__ float per_warp[32];
  const long long row = static_cast<long long>(blockIdx.x) * columns;
  float squares = 0;
  for (int c = threadIdx.x; c < columns; c += BLOCK) {
    const float value = rounded(to_float(x[row + c]) + to_float(residual[row + c]));
    hidden[row + c] = from_float(value);
    squares += value * value;
  }
  const float scale = inverse_rms(reduce_cta<Add>(squares, per_warp), columns, epsilon);
  for (int c = threadIdx.x; c < columns; c += BLOCK)
    out[row + c] = from_float(to_float(hidden[row + c]) * scale * to_float(gamma[c]));
}

// Fused in registers: a thread keeps its share of the row, VECTORS vectors, between the two passes. Rows start on 16
// bytes and fit into BLOCK × VECTORS vectors; for others the host launches `fused`.
extern "C" __global__ void __launch_bounds__(BLOCK)
    fused_in_registers(const Element* x, const Element* residual, const Element* gamma, Element* out, Element* hidden,
                       int columns, float epsilon) {
  __shared__ float per_warp[32];
  const long long row = static_cast<long long>(blockIdx.x) * columns;
  const int first = threadIdx.x * WIDTH;
  Vector held[VECTORS];  // (VECTORS, WIDTH)
  float squares = 0;
#pragma unroll
  for (int v = 0; v < VECTORS; ++v) {
    const int c = first + v * BLOCK * WIDTH;
    const Vector left = load_vector(x + row, c, columns), right = load_vector(residual + row, c, columns);
    float sum[WIDTH];
    for (int k = 0; k < WIDTH; ++k) sum[k] = left[k] + right[k];
    held[v] = pack(sum);
    store_vector(hidden + row, c, columns, sum);
    for (int k = 0; k < WIDTH; ++k) squares += held[v][k] * held[v][k];
  }
  const float scale = inverse_rms(reduce_cta<Add>(squares, per_warp), columns, epsilon);
#pragma unroll
  for (int v = 0; v < VECTORS; ++v) {
    const int c = first + v * BLOCK * WIDTH;
    const Vector weight = load_vector(gamma, c, columns);
    float value[WIDTH];
    for (int k = 0; k < WIDTH; ++k) value[k] = held[v][k] * scale * weight[k];
    store_vector(out + row, c, columns, value);
  }
}
