// Five operators, each with its forward kernel and its backward kernel, on matrices of rows × columns elements.
// A backward kernel gets dy, the gradient of the operator's result, and computes the gradients of its inputs.
//
// Kernels named …_saving keep what their backward kernel would otherwise compute again; those named …_saved read it.
// All arithmetic is in float. So are gamma, beta and their gradients, and what is kept: tanh, mean and 1/σ.
//
// BLOCK  threads per CTA, a power of two      DTYPE  of the matrices, 0: float, 1: bfloat16
#include "elements.cuh"

// Gives a value a part of its gradient. Its first reader stores the part; every further reader adds to it.
__device__ inline void give(Element* gradient, long long i, float part, int add) {
  if (add) part += to_float(gradient[i]);
  gradient[i] = from_float(part);
}

// ---- y = a + b. The gradient passes to both unchanged, so nothing has to be saved.
extern "C" __global__ void add(const Element* a, const Element* b, Element* y, int n) {
  int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < n) y[i] = from_float(to_float(a[i]) + to_float(b[i]));
}
extern "C" __global__ void add_backward(const Element* dy, Element* da, Element* db, int add_a, int add_b, int n) {
  int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < n) {
    float gradient = to_float(dy[i]);
    give(da, i, gradient, add_a);
    give(db, i, gradient, add_b);
  }
}

// ---- y = a · b. Each factor is what the gradient of the other is multiplied by: both are saved.
extern "C" __global__ void mul(const Element* a, const Element* b, Element* y, int n) {
  int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < n) y[i] = from_float(to_float(a[i]) * to_float(b[i]));
}
extern "C" __global__ void mul_backward(const Element* dy, const Element* a, const Element* b, Element* da, Element* db,
                                        int add_a, int add_b, int n) {
  int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < n) {
    float gradient = to_float(dy[i]), of_a = gradient * to_float(b[i]), of_b = gradient * to_float(a[i]);
    give(da, i, of_a, add_a);
    give(db, i, of_b, add_b);
  }
}

// ---- y = max(x, 0). The result says which elements were positive, so y is saved and x is not needed.
extern "C" __global__ void relu(const Element* x, Element* y, int n) {
  int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < n) y[i] = from_float(fmaxf(to_float(x[i]), 0));
}
extern "C" __global__ void relu_backward(const Element* dy, const Element* y, Element* dx, int add_x, int n) {
  int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < n) give(dx, i, to_float(y[i]) > 0 ? to_float(dy[i]) : 0, add_x);
}

// ---- GELU in its tanh form: y = x/2 · (1 + t) with t = tanh(√(2/π) · (x + 0.044715 x³)). x is saved; t may be.
constexpr float SCALE = 0.7978845608f;  // √(2/π)
constexpr float CUBIC = 0.044715f;

__device__ inline float gelu_tanh(float x) { return tanhf(SCALE * (x + CUBIC * x * x * x)); }

// dy/dx by the product rule: the derivative of x/2 times (1 + t), plus x/2 times the derivative of t.
__device__ inline float gelu_slope(float x, float t) {
  float first = 0.5f * (1 + t);
  float second = 0.5f * x * (1 - t * t) * SCALE * (1 + 3 * CUBIC * x * x);
  return first + second;
}

extern "C" __global__ void gelu(const Element* x, Element* y, int n) {
  int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < n) y[i] = from_float(0.5f * to_float(x[i]) * (1 + gelu_tanh(to_float(x[i]))));
}
extern "C" __global__ void gelu_saving(const Element* x, Element* y, float* tanhs, int n) {
  int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < n) {
    float t = gelu_tanh(to_float(x[i]));
    y[i] = from_float(0.5f * to_float(x[i]) * (1 + t));
    tanhs[i] = t;
  }
}
extern "C" __global__ void gelu_backward(const Element* dy, const Element* x, Element* dx, int add_x, int n) {
  int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i >= n) return;
  float at = to_float(x[i]);
  give(dx, i, to_float(dy[i]) * gelu_slope(at, gelu_tanh(at)), add_x);
}
extern "C" __global__ void gelu_backward_saved(const Element* dy, const Element* x, const float* tanhs, Element* dx,
                                               int add_x, int n) {
  int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < n) give(dx, i, to_float(dy[i]) * gelu_slope(to_float(x[i]), tanhs[i]), add_x);
}

// ---- LayerNorm, a CTA for each row: y = (x - mean) · rstd · gamma + beta with rstd = 1 / √(variance + ε). x and gamma
// are saved; mean and rstd may be.
constexpr float EPSILON = 1e-5f;

// Adds up what the threads of a CTA hold, by a tree in shared memory. Every thread gets the sum.
__device__ inline float sum_of_block(float mine) {
  __shared__ float partial[BLOCK];
  partial[threadIdx.x] = mine;
  __syncthreads();
  for (int half = BLOCK / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
    __syncthreads();
  }
  float sum = partial[0];
  __syncthreads();  // the next call overwrites partial
  return sum;
}

struct Statistics {
  float mean, rstd;
};
__device__ inline Statistics statistics_of(const Element* row, int columns) {
  float sum = 0, squares = 0;
  for (int c = threadIdx.x; c < columns; c += BLOCK) sum += to_float(row[c]);
  float mean = sum_of_block(sum) / columns;
  for (int c = threadIdx.x; c < columns; c += BLOCK) {
    float distance = to_float(row[c]) - mean;
    squares += distance * distance;
  }
  return {mean, rsqrtf(sum_of_block(squares) / columns + EPSILON)};
}

__device__ inline void normalize(const Element* x, const float* gamma, const float* beta, Element* y, Statistics row,
                                 int columns) {
  for (int c = threadIdx.x; c < columns; c += BLOCK)
    y[c] = from_float((to_float(x[c]) - row.mean) * row.rstd * gamma[c] + beta[c]);
}

extern "C" __global__ void layernorm(const Element* x, const float* gamma, const float* beta, Element* y, int columns) {
  long long first = (long long)blockIdx.x * columns;
  normalize(x + first, gamma, beta, y + first, statistics_of(x + first, columns), columns);
}
extern "C" __global__ void layernorm_saving(const Element* x, const float* gamma, const float* beta, Element* y,
                                            float* means, float* rstds, int columns) {
  long long first = (long long)blockIdx.x * columns;
  Statistics row = statistics_of(x + first, columns);
  normalize(x + first, gamma, beta, y + first, row, columns);
  if (threadIdx.x == 0) means[blockIdx.x] = row.mean, rstds[blockIdx.x] = row.rstd;
}

// dx of a row. An element of x changes its own y, and through mean and rstd all others of the row: the two means are
// what it owes to them.
__device__ inline void give_row(const Element* dy, const Element* x, const float* gamma, Element* dx, Statistics row,
                                int add_x, int columns) {
  float sum = 0, sum_normal = 0;
  for (int c = threadIdx.x; c < columns; c += BLOCK) {
    float g = to_float(dy[c]) * gamma[c], normal = (to_float(x[c]) - row.mean) * row.rstd;
    sum += g;
    sum_normal += g * normal;
  }
  float mean_g = sum_of_block(sum) / columns;
  float mean_gn = sum_of_block(sum_normal) / columns;
  for (int c = threadIdx.x; c < columns; c += BLOCK) {
    float g = to_float(dy[c]) * gamma[c], normal = (to_float(x[c]) - row.mean) * row.rstd;
    give(dx, c, row.rstd * (g - mean_g - normal * mean_gn), add_x);
  }
}

// Computes mean and rstd again, and leaves them for the kernel of gamma and beta.
extern "C" __global__ void layernorm_backward(const Element* dy, const Element* x, const float* gamma, Element* dx,
                                              float* means, float* rstds, int add_x, int columns) {
  long long first = (long long)blockIdx.x * columns;
  Statistics row = statistics_of(x + first, columns);
  give_row(dy + first, x + first, gamma, dx + first, row, add_x, columns);
  if (threadIdx.x == 0) means[blockIdx.x] = row.mean, rstds[blockIdx.x] = row.rstd;
}
extern "C" __global__ void layernorm_backward_saved(const Element* dy, const Element* x, const float* gamma,
                                                    Element* dx, const float* means, const float* rstds, int add_x,
                                                    int columns) {
  long long first = (long long)blockIdx.x * columns;
  Statistics row{means[blockIdx.x], rstds[blockIdx.x]};
  give_row(dy + first, x + first, gamma, dx + first, row, add_x, columns);
}

// Every row has used the same gamma and beta, so their gradients are sums over the rows. A CTA adds down SLAB rows, a
// thread for each of its columns: many CTAs, and short sums. It leaves a row of dgamma and a row of dbeta in `sums`.
constexpr int SLAB = 32;

extern "C" __global__ void layernorm_backward_weights(const Element* dy, const Element* x, const float* means,
                                                      const float* rstds, float* sums, int rows, int columns) {
  int c = blockIdx.x * BLOCK + threadIdx.x, slab = blockIdx.y, slabs = gridDim.y;
  if (c >= columns) return;
  float of_gamma = 0, of_beta = 0;
  for (int r = slab * SLAB; r < min(rows, (slab + 1) * SLAB); ++r) {
    long long i = (long long)r * columns + c;
    of_gamma += to_float(dy[i]) * (to_float(x[i]) - means[r]) * rstds[r];
    of_beta += to_float(dy[i]);
  }
  sums[slab * columns + c] = of_gamma;
  sums[(slabs + slab) * columns + c] = of_beta;
}

// The sums of all slabs, added up.
extern "C" __global__ void layernorm_backward_slabs(const float* sums, float* dgamma, float* dbeta, int add_gamma,
                                                    int add_beta, int slabs, int columns) {
  int c = blockIdx.x * BLOCK + threadIdx.x;
  if (c >= columns) return;
  float of_gamma = add_gamma ? dgamma[c] : 0, of_beta = add_beta ? dbeta[c] : 0;
#pragma unroll 8
  for (int slab = 0; slab < slabs; ++slab) {
    of_gamma += sums[slab * columns + c];
    of_beta += sums[(slabs + slab) * columns + c];
  }
  dgamma[c] = of_gamma;
  dbeta[c] = of_beta;
}
