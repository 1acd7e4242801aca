// Layers of neural networks.
#include <cuda_fp16.h>

extern "C" __global__ void softmax_rows(const float* in, float* out, int cols) {
  __shared__ float reduction[32];
  const float* x = in + blockIdx.x * cols;
  float* y = out + blockIdx.x * cols;
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
  float biggest = -__int_as_float(0x7f800000);
  for (int c = threadIdx.x; c < cols; c += blockDim.x) biggest = fmaxf(biggest, x[c]);
  for (int d = 16; d > 0; d /= 2) biggest = fmaxf(biggest, __shfl_xor_sync(0xffffffff, biggest, d));
  if (lane == 0) reduction[warp] = biggest;
  __syncthreads();
  biggest = reduction[0];
  for (int w = 1; w < warps; ++w) biggest = fmaxf(biggest, reduction[w]);
  __syncthreads();
  float sum = 0;
  for (int c = threadIdx.x; c < cols; c += blockDim.x) {
    float e = __expf(x[c] - biggest);
    y[c] = e;
    sum += e;
  }
  for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(0xffffffff, sum, d);
  if (lane == 0) reduction[warp] = sum;
  __syncthreads();
  sum = 0;
  for (int w = 0; w < warps; ++w) sum += reduction[w];
  for (int c = threadIdx.x; c < cols; c += blockDim.x) y[c] /= sum;
}

// Maximum and sum in one pass; each lane's pair is merged with the others'.
struct __align__(8) MaxSum {
  float m, d;
};
__device__ __forceinline__ MaxSum merge(MaxSum a, MaxSum b) {
  bool a_bigger = a.m > b.m;
  MaxSum big = a_bigger ? a : b, small = a_bigger ? b : a;
  MaxSum r;
  r.d = big.d + small.d * expf(small.m - big.m);
  r.m = big.m;
  return r;
}
extern "C" __global__ void online_softmax(const float* __restrict__ in, float* __restrict__ out, int cols) {
  const float* x = in + (size_t)blockIdx.x * cols;
  MaxSum partial = {-1e30f, 0.f};
  for (int c = threadIdx.x; c < cols; c += 32) partial = merge(partial, MaxSum{x[c], 1.f});
  for (int mask = 16; mask > 0; mask >>= 1) {
    MaxSum other;
    other.m = __shfl_xor_sync(0xffffffffu, partial.m, mask);
    other.d = __shfl_xor_sync(0xffffffffu, partial.d, mask);
    partial = merge(partial, other);
  }
  for (int c = threadIdx.x; c < cols; c += 32) out[(size_t)blockIdx.x * cols + c] = expf(x[c] - partial.m) / partial.d;
}

extern "C" __global__ void layer_norm(const float* inp, const float* weight, const float* bias, float* out,
                                      float* mean, float* rstd, int N, int C) {
  int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  if (row >= N) return;
  int lane = threadIdx.x & 31;
  const float* x = inp + row * C;
  float sum = 0.0f;
  for (int i = lane; i < C; i += 32) sum += x[i];
  for (int o = 16; o > 0; o >>= 1) sum += __shfl_xor_sync(0xffffffff, sum, o);
  float m = sum / C;
  sum = 0.0f;
  for (int i = lane; i < C; i += 32) {
    float diff = x[i] - m;
    sum += diff * diff;
  }
  for (int o = 16; o > 0; o >>= 1) sum += __shfl_xor_sync(0xffffffff, sum, o);
  float s = rsqrtf(sum / C + 1e-5f);
  if (lane == 0) {
    mean[row] = m;
    rstd[row] = s;
  }
  for (int c = lane; c < C; c += 32) out[row * C + c] = s * (x[c] - m) * weight[c] + bias[c];
}

extern "C" __global__ void rms_norm_half(const __half2* in, const __half2* weight, __half2* out, int pairs) {
  __shared__ float total;
  float sum = 0;
  for (int i = threadIdx.x; i < pairs; i += blockDim.x) {
    float2 v = __half22float2(in[blockIdx.x * pairs + i]);
    sum += v.x * v.x + v.y * v.y;
  }
  if (threadIdx.x == 0) total = 0;
  __syncthreads();
  atomicAdd(&total, sum);
  __syncthreads();
  float scale = rsqrtf(total / (2 * pairs) + 1e-5f);
  for (int i = threadIdx.x; i < pairs; i += blockDim.x)
    out[blockIdx.x * pairs + i] = __hmul2(in[blockIdx.x * pairs + i], __hmul2(weight[i], __float2half2_rn(scale)));
}

extern "C" __global__ void gelu_vector(const float4* x, float4* y, int vectors, int tail, int n) {
  const float k = 0.7978845608028654f;
  auto gelu = [k](float v) { return 0.5f * v * (1.0f + tanhf(k * (v + 0.044715f * v * v * v))); };
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < vectors; i += blockDim.x * gridDim.x) {
    float4 v = x[i];
    v.x = gelu(v.x), v.y = gelu(v.y), v.z = gelu(v.z), v.w = gelu(v.w);
    y[i] = v;
  }
  int i = tail + blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) ((float*)y)[i] = gelu(((const float*)x)[i]);
}

extern "C" __global__ void embedding(const int* tokens, const __half* table, __half* out, int width, int vocabulary) {
  int token = tokens[blockIdx.x];
  if (token < 0 || token >= vocabulary) token = 0;
  for (int c = threadIdx.x; c < width; c += blockDim.x) out[blockIdx.x * width + c] = table[token * width + c];
}

// Rotary position embedding; pairs are the two halves of a head.
extern "C" __global__ void rotary(float* q, const float* angles, int heads, int half_dim) {
  int position = blockIdx.x;
  for (int i = threadIdx.x; i < heads * half_dim; i += blockDim.x) {
    int h = i / half_dim, d = i % half_dim;
    float s, c;
    sincosf(angles[position * half_dim + d], &s, &c);
    float* base = q + (position * heads + h) * 2 * half_dim;
    float a = base[d], b = base[d + half_dim];
    base[d] = a * c - b * s;
    base[d + half_dim] = a * s + b * c;
  }
}

// One query for each block; the scores in shared memory.
extern "C" __global__ void attention_naive(const float* Q, const float* K, const float* V, float* O, int T, int D,
                                           float scale, bool causal) {
  extern __shared__ float scores[];
  int t = blockIdx.x;
  int visible = causal ? t + 1 : T;
  for (int j = threadIdx.x; j < visible; j += blockDim.x) {
    float dot = 0;
    for (int d = 0; d < D; ++d) dot += Q[t * D + d] * K[j * D + d];
    scores[j] = dot * scale;
  }
  __syncthreads();
  float biggest = -1e30f, sum = 0;
  for (int j = 0; j < visible; ++j) biggest = fmaxf(biggest, scores[j]);
  for (int j = 0; j < visible; ++j) sum += expf(scores[j] - biggest);
  for (int d = threadIdx.x; d < D; d += blockDim.x) {
    float acc = 0;
    for (int j = 0; j < visible; ++j) acc += expf(scores[j] - biggest) * V[j * D + d];
    O[t * D + d] = acc / sum;
  }
}

// Flash attention: a thread for each query, keys and values in tiles of 16, running maximum and sum. D = 16.
extern "C" __global__ void __launch_bounds__(32) attention_flash(const float* __restrict__ Q,
                                                                  const float* __restrict__ K,
                                                                  const float* __restrict__ V, float* __restrict__ O,
                                                                  int T, float scale) {
  constexpr int D = 16, TILE = 16;
  __shared__ float k_tile[TILE][D], v_tile[TILE][D];
  int t = blockIdx.x * 32 + threadIdx.x;
  float q[D], o[D] = {};
#pragma unroll
  for (int d = 0; d < D; ++d) q[d] = t < T ? Q[t * D + d] : 0.f;
  float m = -1e30f, l = 0;
  for (int j0 = 0; j0 < T; j0 += TILE) {
    for (int i = threadIdx.x; i < TILE * D; i += 32) {
      int r = i / D, c = i % D;
      bool in = j0 + r < T;
      k_tile[r][c] = in ? K[(j0 + r) * D + c] : 0.f;
      v_tile[r][c] = in ? V[(j0 + r) * D + c] : 0.f;
    }
    __syncthreads();
    float s[TILE], tile_max = m;
    for (int r = 0; r < TILE; ++r) {
      float dot = 0;
#pragma unroll
      for (int d = 0; d < D; ++d) dot = fmaf(q[d], k_tile[r][d], dot);
      s[r] = j0 + r < T ? dot * scale : -1e30f;
      tile_max = fmaxf(tile_max, s[r]);
    }
    float shrink = expf(m - tile_max);
    l *= shrink;
    for (int d = 0; d < D; ++d) o[d] *= shrink;
    for (int r = 0; r < TILE; ++r) {
      float p = expf(s[r] - tile_max);
      l += p;
      for (int d = 0; d < D; ++d) o[d] = fmaf(p, v_tile[r][d], o[d]);
    }
    m = tile_max;
    __syncthreads();
  }
  if (t < T)
    for (int d = 0; d < D; ++d) O[t * D + d] = o[d] / l;
}

// The k largest of each row, by k passes.
extern "C" __global__ void top_k(float* values, int cols, int k, int* indices, float* best) {
  __shared__ float v[128];
  __shared__ int ix[128];
  float* row = values + blockIdx.x * cols;
  for (int pass = 0; pass < k; ++pass) {
    float mine = -1e30f;
    int where = -1;
    for (int c = threadIdx.x; c < cols; c += blockDim.x)
      if (row[c] > mine || where < 0) mine = row[c], where = c;
    v[threadIdx.x] = mine;
    ix[threadIdx.x] = where;
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s /= 2) {
      if (threadIdx.x < s) {
        int o = threadIdx.x + s;
        if (ix[o] >= 0 && (ix[threadIdx.x] < 0 || v[o] > v[threadIdx.x] ||
                           (v[o] == v[threadIdx.x] && ix[o] < ix[threadIdx.x]))) {
          v[threadIdx.x] = v[o];
          ix[threadIdx.x] = ix[o];
        }
      }
      __syncthreads();
    }
    if (threadIdx.x == 0) {
      indices[blockIdx.x * k + pass] = ix[0];
      best[blockIdx.x * k + pass] = v[0];
      row[ix[0]] = -1e30f;
    }
    __syncthreads();
  }
}

// Draws an index with given weights: the first whose running sum passes the coin.
extern "C" __global__ void sample_weights(const unsigned int* weights, int n, const unsigned int* coins, int draws,
                                          int* picks) {
  int d = blockIdx.x * blockDim.x + threadIdx.x;
  if (d >= draws) return;
  unsigned long long total = 0;
  for (int i = 0; i < n; ++i) total += weights[i];
  if (total == 0) {
    picks[d] = -1;
    return;
  }
  unsigned long long target = coins[d] % total, running = 0;
  int pick = n - 1;
  for (int i = 0; i < n; ++i) {
    running += weights[i];
    if (running > target) {
      pick = i;
      break;
    }
  }
  picks[d] = pick;
}

extern "C" __global__ void adam_step(float* param, const float* grad, float* m, float* v, int n, float lr, float beta1,
                                     float beta2, float correction1, float correction2, float eps, float decay) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float g = grad[i];
  float mi = m[i] = beta1 * m[i] + (1.0f - beta1) * g;
  float vi = v[i] = beta2 * v[i] + (1.0f - beta2) * g * g;
  param[i] -= lr * (mi / correction1 / (sqrtf(vi / correction2) + eps) + decay * param[i]);
}

extern "C" __global__ void max_pool(const float* in, float* out, int* argmax, int channels, int h, int w, int size,
                                    int stride) {
  int oh = (h - size) / stride + 1, ow = (w - size) / stride + 1;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= channels * oh * ow) return;
  int x = i % ow, y = i / ow % oh, c = i / (ow * oh);
  float best = -3.4e38f;
  int where = -1;
  for (int r = y * stride; r < y * stride + size; ++r)
    for (int q = x * stride; q < x * stride + size; ++q) {
      float v = in[(c * h + r) * w + q];
      if (v > best) { best = v; where = r * w + q; }
    }
  out[i] = best;
  argmax[i] = where;
}

extern "C" __global__ void quantize_rows(const float* in, signed char* out, float* scales, int cols) {
  __shared__ unsigned int largest;
  if (threadIdx.x == 0) largest = 0;
  __syncthreads();
  const float* x = in + blockIdx.x * cols;
  for (int c = threadIdx.x; c < cols; c += blockDim.x) atomicMax(&largest, __float_as_uint(fabsf(x[c])));
  __syncthreads();
  float scale = __fdiv_rn(__uint_as_float(largest), 127.0f);
  if (threadIdx.x == 0) scales[blockIdx.x] = scale;
  for (int c = threadIdx.x; c < cols; c += blockDim.x) {
    int q = scale == 0.f ? 0 : __float2int_rn(__fdiv_rn(x[c], scale));
    out[blockIdx.x * cols + c] = (signed char)max(-127, min(127, q));
  }
}
