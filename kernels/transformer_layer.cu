// One layer of a Transformer in fp32, with the norms before its two parts:
//
//     h   = x + Attention(LayerNorm(x)) · W_o
//     out = h + GELU(LayerNorm(h) · W_up) · W_down
//
// The first half holds one kernel for each operator: eight matrix products and eight operators that only move and
// change elements. The second half holds kernels that do several of them at once.
//
// A row is one token. q, k and v lie side by side in a row of `qkv`, and their weights in a row of `w_qkv`.
// BLOCK  threads per CTA of kernels without a matrix product       TILE  edge of the square of threads of the others
#include "rows.cuh"

// ---- Matrix products -----------------------------------------------------------------------------------------------

// A matrix in memory: element (row, column) is data[row · row_step + column · column_step].
struct Matrix {
  const float* data;
  int row_step, column_step;
  __device__ float load(int row, int column, int rows, int columns) const {
    const long long at = static_cast<long long>(row) * row_step + static_cast<long long>(column) * column_step;
    return row < rows && column < columns ? data[at] : 0.0f;
  }
};
__device__ Matrix row_major(const float* data, int row_step) { return {data, row_step, 1}; }

// finish(row, column, sum) for each element of A · B, where A is M × K and B is K × N. A CTA computes a tile of
// TILE × TILE. If B is a transposed matrix, neighbouring lanes go along K, as its elements lie in memory.
template <bool TRANSPOSED_B, class Finish>
__device__ void multiply(Matrix a, Matrix b, int M, int N, int K, Finish finish) {
  __shared__ float a_tile[TILE][TILE];                 // (row, k)
  __shared__ float b_tile[TILE][TILE + TRANSPOSED_B];  // (k, column)
  const int x = threadIdx.x, y = threadIdx.y;
  const int first_row = blockIdx.y * TILE, first_column = blockIdx.x * TILE;
  float sum = 0;
  for (int k0 = 0; k0 < K; k0 += TILE) {
    a_tile[y][x] = a.load(first_row + y, k0 + x, M, K);
    if (TRANSPOSED_B)
      b_tile[x][y] = b.load(k0 + x, first_column + y, K, N);
    else
      b_tile[y][x] = b.load(k0 + y, first_column + x, K, N);
    __syncthreads();
    for (int k = 0; k < TILE; ++k) sum += a_tile[y][k] * b_tile[k][x];
    __syncthreads();
  }
  if (first_row + y < M && first_column + x < N) finish(first_row + y, first_column + x, sum);
}

// Where the rows of one head start: blockIdx.z counts the heads of all sequences. `group` heads of Q share a head of K
// and V.
struct Heads {
  int sequence, head_dim, heads, kv_heads;
  __device__ int row_step() const { return (heads + 2 * kv_heads) * head_dim; }  // of qkv
  __device__ int head() const { return blockIdx.z % heads; }
  __device__ int kv_head() const { return head() / (heads / kv_heads); }
  __device__ long long first_row() const { return static_cast<long long>(blockIdx.z / heads) * sequence; }
  __device__ const float* q(const float* qkv) const { return qkv + first_row() * row_step() + head() * head_dim; }
  __device__ const float* k(const float* qkv) const {
    return qkv + first_row() * row_step() + (heads + kv_head()) * head_dim;
  }
  __device__ const float* v(const float* qkv) const {
    return qkv + first_row() * row_step() + (heads + kv_heads + kv_head()) * head_dim;
  }
  // (sequence, sequence), of each head
  __device__ long long scores() const { return static_cast<long long>(blockIdx.z) * sequence * sequence; }
  // The head's part of a row of `context`, (batch · sequence, heads · head_dim)
  __device__ long long context() const { return first_row() * heads * head_dim + head() * head_dim; }
};

__device__ float softmax_scale(int head_dim) { return rsqrtf(static_cast<float>(head_dim)); }
// A token attends to itself and to those before it.
__device__ bool is_visible(int query, int key) { return key <= query; }

// ---- One kernel for each operator ----------------------------------------------------------------------------------

// A CTA has a row: mean, variance, then the row again.
extern "C" __global__ void layernorm(const float* x, const float* gamma, const float* beta, float* out, int columns,
                                     float epsilon) {
  __shared__ float per_warp[2][32];
  const long long row = static_cast<long long>(blockIdx.x) * columns;
  float sum = 0, squares = 0;
  for (int c = threadIdx.x; c < columns; c += BLOCK) sum += x[row + c];
  const float mean = reduce_cta<Add>(sum, per_warp[0]) / columns;
  for (int c = threadIdx.x; c < columns; c += BLOCK) squares += (x[row + c] - mean) * (x[row + c] - mean);
  const float rstd = rsqrtf(reduce_cta<Add>(squares, per_warp[1]) / columns + epsilon);
  for (int c = threadIdx.x; c < columns; c += BLOCK) out[row + c] = (x[row + c] - mean) * rstd * gamma[c] + beta[c];
}

// c = a · b. The steps say how far apart rows are: a projection to q, k or v reads some columns of w_qkv.
extern "C" __global__ void __launch_bounds__(TILE* TILE)
    matmul(const float* a, int a_step, const float* b, int b_step, float* c, int c_step, int M, int N, int K) {
  multiply<false>(row_major(a, a_step), row_major(b, b_step), M, N, K,
                  [&](int row, int column, float sum) { c[static_cast<long long>(row) * c_step + column] = sum; });
}

// scores = Q · Kᵗ, for each head
extern "C" __global__ void __launch_bounds__(TILE* TILE)
    query_key(const float* qkv, float* scores, int sequence, int head_dim, int heads, int kv_heads) {
  const Heads layout{sequence, head_dim, heads, kv_heads};
  scores += layout.scores();
  multiply<true>(row_major(layout.q(qkv), layout.row_step()), {layout.k(qkv), 1, layout.row_step()}, sequence, sequence,
                 head_dim, [&](int query, int key, float sum) { scores[query * sequence + key] = sum; });
}
extern "C" __global__ void scale(float* scores, long long n, int head_dim) {
  const long long i = static_cast<long long>(blockIdx.x) * BLOCK + threadIdx.x;
  if (i < n) scores[i] *= softmax_scale(head_dim);
}
extern "C" __global__ void mask(float* scores, long long n, int sequence) {
  const long long i = static_cast<long long>(blockIdx.x) * BLOCK + threadIdx.x;
  if (i >= n) return;
  const int key = i % sequence, query = i / sequence % sequence;
  scores[i] = is_visible(query, key) ? scores[i] : -INFINITY;
}
// A CTA has a row. exp(-infinity) is 0, so masked keys get no weight.
extern "C" __global__ void softmax(const float* scores, float* weights, int columns) {
  __shared__ float per_warp[2][32];
  const long long row = static_cast<long long>(blockIdx.x) * columns;
  float max = Max::nothing(), sum = 0;
  for (int c = threadIdx.x; c < columns; c += BLOCK) max = fmaxf(max, scores[row + c]);
  max = reduce_cta<Max>(max, per_warp[0]);
  for (int c = threadIdx.x; c < columns; c += BLOCK) sum += __expf(scores[row + c] - max);
  sum = reduce_cta<Add>(sum, per_warp[1]);
  for (int c = threadIdx.x; c < columns; c += BLOCK) weights[row + c] = __expf(scores[row + c] - max) / sum;
}
// context = weights · V, for each head
extern "C" __global__ void __launch_bounds__(TILE* TILE)
    weights_value(const float* weights, const float* qkv, float* context, int sequence, int head_dim, int heads,
                  int kv_heads) {
  const Heads layout{sequence, head_dim, heads, kv_heads};
  context += layout.context();
  const int row_step = heads * head_dim;
  multiply<false>(row_major(weights + layout.scores(), sequence), row_major(layout.v(qkv), layout.row_step()), sequence,
                  head_dim, sequence, [&](int query, int d, float sum) { context[query * row_step + d] = sum; });
}

extern "C" __global__ void add(const float* branch, const float* residual, float* out, long long n) {
  const long long i = static_cast<long long>(blockIdx.x) * BLOCK + threadIdx.x;
  if (i < n) out[i] = branch[i] + residual[i];
}

__device__ float gelu_of(float x) { return 0.5f * x * (1 + tanhf(0.7978845608f * (x + 0.044715f * x * x * x))); }
extern "C" __global__ void gelu(const float* x, float* out, long long n) {
  const long long i = static_cast<long long>(blockIdx.x) * BLOCK + threadIdx.x;
  if (i < n) out[i] = gelu_of(x[i]);
}

// ---- Fused into the epilogue of a product: the sum is still in a register ------------------------------------------

extern "C" __global__ void __launch_bounds__(TILE* TILE)
    query_key_scale_mask(const float* qkv, float* scores, int sequence, int head_dim, int heads, int kv_heads) {
  const Heads layout{sequence, head_dim, heads, kv_heads};
  scores += layout.scores();
  multiply<true>(row_major(layout.q(qkv), layout.row_step()), {layout.k(qkv), 1, layout.row_step()}, sequence, sequence,
                 head_dim, [&](int query, int key, float sum) {
                   scores[query * sequence + key] = is_visible(query, key) ? sum * softmax_scale(head_dim) : -INFINITY;
                 });
}
extern "C" __global__ void __launch_bounds__(TILE* TILE)
    matmul_add(const float* a, const float* b, const float* residual, float* c, int M, int N, int K) {
  multiply<false>(row_major(a, K), row_major(b, N), M, N, K, [&](int row, int column, float sum) {
    const long long i = static_cast<long long>(row) * N + column;
    c[i] = sum + residual[i];
  });
}
extern "C" __global__ void __launch_bounds__(TILE* TILE)
    matmul_gelu(const float* a, const float* b, float* c, int M, int N, int K) {
  multiply<false>(row_major(a, K), row_major(b, N), M, N, K,
                  [&](int row, int column, float sum) { c[static_cast<long long>(row) * N + column] = gelu_of(sum); });
}

// ---- Attention in one kernel: a warp has a query, and the scores stay in registers ---------------------------------

constexpr int DIMS = 4, HEAD = 32 * DIMS;  // dimensions of a head that one lane holds, and that a head has at most
constexpr int WARPS = BLOCK / 32;

// The CTA loads 32 keys and their values at a time, and each lane has one of the keys. When the maximum of a query
// grows, what has been summed so far is rescaled to the new one.
extern "C" __global__ void __launch_bounds__(BLOCK)
    attention(const float* qkv, float* context, int sequence, int head_dim, int heads, int kv_heads) {
  __shared__ float q_tile[WARPS][HEAD];                         // (query, d)
  __shared__ float k_tile[32][HEAD + 1], v_tile[32][HEAD + 1];  // (key, d)
  const Heads layout{sequence, head_dim, heads, kv_heads};
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, query = blockIdx.x * WARPS + warp;
  const int last = min((blockIdx.x + 1) * WARPS, sequence) - 1, row_step = layout.row_step();
  const float *k = layout.k(qkv), *v = layout.v(qkv);
  for (int d = lane; d < head_dim; d += 32) q_tile[warp][d] = layout.q(qkv)[min(query, last) * row_step + d];
  float max = Max::nothing(), sum = 0, value[DIMS] = {};
  for (int first = 0; first < sequence && is_visible(last, first); first += 32) {
    const int count = min(32, sequence - first);
    for (int i = threadIdx.x; i < count * head_dim; i += BLOCK) {
      const int key = i / head_dim, d = i % head_dim;
      k_tile[key][d] = k[(first + key) * row_step + d];
      v_tile[key][d] = v[(first + key) * row_step + d];
    }
    __syncthreads();
    float score = -INFINITY;
    if (lane < count && is_visible(query, first + lane)) {
      score = 0;
      for (int d = 0; d < head_dim; ++d) score += q_tile[warp][d] * k_tile[lane][d];
      score *= softmax_scale(head_dim);
    }
    const float grown = fmaxf(max, reduce_lanes<Max>(score));
    const float rescale = __expf(max - grown), weight = __expf(score - grown);
    sum = sum * rescale + reduce_lanes<Add>(weight);
    max = grown;
    for (int i = 0; i < DIMS; ++i) value[i] *= rescale;
    for (int other = 0; other < count; ++other) {
      const float other_weight = __shfl_sync(0xffffffff, weight, other);
      for (int i = 0; i < DIMS; ++i)
        if (lane + 32 * i < head_dim) value[i] += other_weight * v_tile[other][lane + 32 * i];
    }
    __syncthreads();
  }
  if (query >= sequence) return;
  context += layout.context() + query * heads * head_dim;
  for (int i = 0; i < DIMS; ++i)
    if (lane + 32 * i < head_dim) context[lane + 32 * i] = value[i] / sum;
}
