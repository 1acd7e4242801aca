// LayerNorm of every row: out[r][c] = (x[r][c] - mean of row r) · rstd of row r · gamma[c] + beta[c], where
// rstd = 1 / sqrt(variance of the row + ε). mean and rstd are kept for the backward pass.
// `x` and `out` have `rows` rows of `columns` elements, `gamma` and `beta` have `columns`.
//
// BLOCK    threads per CTA                  VECTORS  vectors of 16 bytes that a thread holds
// LANES    lanes that share a row           CTAS     CTAs that share a row
// DTYPE    0: fp32, 1: bf16 in memory
#include "rows.cuh"

__device__ float inverse_deviation(float squares, int columns, float epsilon) {
  return rsqrtf(squares / columns + epsilon);
}

// The second half of the unfused rungs: it reads again what the first half has just written, the row in its normal
// form.
extern "C" __global__ void scale_and_shift(const float* normal, const Element* gamma, const Element* beta, Element* out,
                                           int columns) {
  const long long row = static_cast<long long>(blockIdx.x) * columns;
  for (int c = threadIdx.x; c < columns; c += BLOCK)
    out[row + c] = static_cast<Element>(normal[row + c] * static_cast<float>(gamma[c]) + static_cast<float>(beta[c]));
}

// ---- Two passes: the mean, then the squares of the distances from it. A third one writes.

// Elements first, first + step, … of a row.
__device__ float sum_pass(const Element* row, int first, int step, int columns) {
  float sum = 0;
  for (int c = first; c < columns; c += step) sum += static_cast<float>(row[c]);
  return sum;
}
__device__ float square_pass(const Element* row, int first, int step, int columns, float mean) {
  float squares = 0;
  for (int c = first; c < columns; c += step) {
    const float distance = static_cast<float>(row[c]) - mean;
    squares += distance * distance;
  }
  return squares;
}
__device__ void normalise_pass(const Element* row, float* to, int first, int step, int columns, float mean,
                               float rstd) {
  for (int c = first; c < columns; c += step) to[c] = (static_cast<float>(row[c]) - mean) * rstd;
}

extern "C" __global__ void two_pass(const Element* x, float* normal, float* means, float* rstds, int columns,
                                    float epsilon) {
  __shared__ float per_warp[2][32];
  const Element* row = x + static_cast<long long>(blockIdx.x) * columns;
  float* to = normal + static_cast<long long>(blockIdx.x) * columns;
  const float mean = reduce_cta<Add>(sum_pass(row, threadIdx.x, BLOCK, columns), per_warp[0]) / columns;
  const float squares = reduce_cta<Add>(square_pass(row, threadIdx.x, BLOCK, columns, mean), per_warp[1]);
  const float rstd = inverse_deviation(squares, columns, epsilon);
  if (threadIdx.x == 0) means[blockIdx.x] = mean, rstds[blockIdx.x] = rstd;
  normalise_pass(row, to, threadIdx.x, BLOCK, columns, mean, rstd);
}

// ---- Welford: mean and squares in one pass. A new element moves the mean, and the squares follow.

struct Moments {
  float count, mean, squares;  // squares of the distances from the mean, summed
};
__device__ void update(Moments& moments, float x) {
  moments.count += 1;
  const float distance = x - moments.mean;
  moments.mean += __fdividef(distance, moments.count);
  moments.squares += distance * (x - moments.mean);  // before and after: that is what makes it exact
}
// Two parts of a row become one: their means lie `distance` apart.
__device__ Moments merge(Moments a, Moments b) {
  const float count = a.count + b.count, weight = count > 0 ? __fdividef(b.count, count) : 0;
  const float distance = b.mean - a.mean;
  return {count, a.mean + distance * weight, a.squares + b.squares + distance * distance * a.count * weight};
}
__device__ Moments merge_lanes(Moments mine) {
  for (int distance = 16; distance > 0; distance /= 2) {
    const Moments other{__shfl_xor_sync(0xffffffff, mine.count, distance),
                        __shfl_xor_sync(0xffffffff, mine.mean, distance),
                        __shfl_xor_sync(0xffffffff, mine.squares, distance)};
    mine = threadIdx.x % 32 & distance ? merge(other, mine) : merge(mine, other);  // both lanes in the same order
  }
  return mine;
}

extern "C" __global__ void welford(const Element* x, float* normal, float* means, float* rstds, int columns,
                                   float epsilon) {
  __shared__ Moments per_warp[32];
  const Element* row = x + static_cast<long long>(blockIdx.x) * columns;
  float* to = normal + static_cast<long long>(blockIdx.x) * columns;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  Moments moments{};
  for (int c = threadIdx.x; c < columns; c += BLOCK) update(moments, row[c]);
  moments = merge_lanes(moments);
  if (lane == 0) per_warp[warp] = moments;
  __syncthreads();
  moments = merge_lanes(lane < BLOCK / 32 ? per_warp[lane] : Moments{});
  const float rstd = inverse_deviation(moments.squares, columns, epsilon);
  if (threadIdx.x == 0) means[blockIdx.x] = moments.mean, rstds[blockIdx.x] = rstd;
  normalise_pass(row, to, threadIdx.x, BLOCK, columns, moments.mean, rstd);
}

// ---- The row stays in registers, VECTORS vectors in each thread: two passes cost no second read. Here and below a row
// must fit, and start on 16 bytes; the host launches a kernel ..._by_element where it does not:
// one kernel with a branch would be longer and, in most configurations, need more registers.

template <int STRIDE>  // elements from a thread's vector to its next one
__device__ void load_row(Vector (&held)[VECTORS], const Element* row, int first, int columns) {
#pragma unroll
  for (int v = 0; v < VECTORS; ++v) held[v] = load_vector(row, first + v * STRIDE, columns);
}
__device__ float sum_of(const Vector (&held)[VECTORS]) {
  float sum = 0;
#pragma unroll
  for (int v = 0; v < VECTORS; ++v)
    for (int k = 0; k < WIDTH; ++k) sum += held[v][k];
  return sum;
}
template <int STRIDE>
__device__ float squares_of(const Vector (&held)[VECTORS], int first, int columns, float mean) {
  float squares = 0;
#pragma unroll
  for (int v = 0; v < VECTORS; ++v)
    if (first + v * STRIDE < columns)  // beyond the end lies a 0, which is not at distance 0
      for (int k = 0; k < WIDTH; ++k) {
        const float distance = held[v][k] - mean;
        squares += distance * distance;
      }
  return squares;
}
template <int STRIDE>
__device__ void normalise_row(const Vector (&held)[VECTORS], float* row, int first, int columns, float mean,
                              float rstd) {
#pragma unroll
  for (int v = 0; v < VECTORS; ++v)
    for (int k = 0; k < WIDTH; k += 4)  // 16 bytes of floats, whatever held has
      if (first + v * STRIDE < columns)
        *reinterpret_cast<float4*>(row + first + v * STRIDE + k) =
            make_float4((held[v][k] - mean) * rstd, (held[v][k + 1] - mean) * rstd, (held[v][k + 2] - mean) * rstd,
                        (held[v][k + 3] - mean) * rstd);
}

extern "C" __global__ void __launch_bounds__(BLOCK)
    row_in_registers(const Element* x, float* normal, float* means, float* rstds, int columns, float epsilon) {
  __shared__ float per_warp[2][32];
  const long long row = static_cast<long long>(blockIdx.x) * columns;
  constexpr int STRIDE = BLOCK * WIDTH;
  const int first = threadIdx.x * WIDTH;
  Vector held[VECTORS];  // (VECTORS, WIDTH), a thread's share
  load_row<STRIDE>(held, x + row, first, columns);
  const float mean = reduce_cta<Add>(sum_of(held), per_warp[0]) / columns;
  const float squares = reduce_cta<Add>(squares_of<STRIDE>(held, first, columns, mean), per_warp[1]);
  const float rstd = inverse_deviation(squares, columns, epsilon);
  if (threadIdx.x == 0) means[blockIdx.x] = mean, rstds[blockIdx.x] = rstd;
  normalise_row<STRIDE>(held, normal + row, first, columns, mean, rstd);
}

// ---- Fused: gamma and beta are applied before anything is written. out is written once and never read.

template <int STRIDE>
__device__ void write_row(const Vector (&held)[VECTORS], const Element* gamma, const Element* beta, Element* row,
                          int first, int columns, float mean, float rstd) {
#pragma unroll
  for (int v = 0; v < VECTORS; ++v) {
    const Vector scale = load_vector(gamma, first + v * STRIDE, columns);
    const Vector shift = load_vector(beta, first + v * STRIDE, columns);
    float value[WIDTH];
    for (int k = 0; k < WIDTH; ++k) value[k] = (held[v][k] - mean) * rstd * scale[k] + shift[k];
    store_vector(row, first + v * STRIDE, columns, value);
  }
}
// The same with gamma in registers.
template <int STRIDE>
__device__ void write_row(const Vector (&held)[VECTORS], const Vector (&scale)[VECTORS], const Element* beta,
                          Element* row, int first, int columns, float mean, float rstd) {
#pragma unroll
  for (int v = 0; v < VECTORS; ++v) {
    const Vector shift = load_vector(beta, first + v * STRIDE, columns);
    float value[WIDTH];
    for (int k = 0; k < WIDTH; ++k) value[k] = (held[v][k] - mean) * rstd * scale[v][k] + shift[k];
    store_vector(row, first + v * STRIDE, columns, value);
  }
}
__device__ void write_pass(const Element* row, const Element* gamma, const Element* beta, Element* to, int first,
                           int step, int columns, float mean, float rstd) {
  for (int c = first; c < columns; c += step) {
    const float normal = (static_cast<float>(row[c]) - mean) * rstd;
    to[c] = static_cast<Element>(normal * static_cast<float>(gamma[c]) + static_cast<float>(beta[c]));
  }
}

extern "C" __global__ void __launch_bounds__(BLOCK)
    fused(const Element* x, const Element* gamma, const Element* beta, Element* out, float* means, float* rstds,
          int columns, float epsilon) {
  __shared__ float per_warp[2][32];
  const long long row = static_cast<long long>(blockIdx.x) * columns;
  constexpr int STRIDE = BLOCK * WIDTH;
  const int first = threadIdx.x * WIDTH;
  Vector held[VECTORS];  // (VECTORS, WIDTH)
  load_row<STRIDE>(held, x + row, first, columns);
  const float mean = reduce_cta<Add>(sum_of(held), per_warp[0]) / columns;
  const float squares = reduce_cta<Add>(squares_of<STRIDE>(held, first, columns, mean), per_warp[1]);
  const float rstd = inverse_deviation(squares, columns, epsilon);
  if (threadIdx.x == 0) means[blockIdx.x] = mean, rstds[blockIdx.x] = rstd;
  write_row<STRIDE>(held, gamma, beta, out + row, first, columns, mean, rstd);
}
extern "C" __global__ void fused_by_element(const Element* x, const Element* gamma, const Element* beta, Element* out,
                                            float* means, float* rstds, int columns, float epsilon) {
  __shared__ float per_warp[2][32];
  const long long row = static_cast<long long>(blockIdx.x) * columns;
  const float mean = reduce_cta<Add>(sum_pass(x + row, threadIdx.x, BLOCK, columns), per_warp[0]) / columns;
  const float squares = reduce_cta<Add>(square_pass(x + row, threadIdx.x, BLOCK, columns, mean), per_warp[1]);
  const float rstd = inverse_deviation(squares, columns, epsilon);
  if (threadIdx.x == 0) means[blockIdx.x] = mean, rstds[blockIdx.x] = rstd;
  write_pass(x + row, gamma, beta, out + row, threadIdx.x, BLOCK, columns, mean, rstd);
}

// ---- Several rows in a CTA: LANES lanes of a warp share one. No shared memory, no barrier; good for short rows.

extern "C" __global__ void __launch_bounds__(BLOCK)
    several_rows(const Element* x, const Element* gamma, const Element* beta, Element* out, float* means, float* rstds,
                 int rows, int columns, float epsilon) {
  const int r = blockIdx.x * (BLOCK / LANES) + threadIdx.x / LANES, lane = threadIdx.x % LANES;
  const long long row = static_cast<long long>(r) * columns;
  const int length = r < rows ? columns : 0;  // past the last row: nothing to do, but shuffles need every lane
  constexpr int STRIDE = LANES * WIDTH;
  const int first = lane * WIDTH;
  Vector held[VECTORS], scale[VECTORS], shift[VECTORS];  // (VECTORS, WIDTH) each
  load_row<STRIDE>(held, x + row, first, length);
  load_row<STRIDE>(scale, gamma, first, length);  // all loads in flight before the first sum
  load_row<STRIDE>(shift, beta, first, length);
  const float mean = reduce_lanes<Add, LANES>(sum_of(held)) / columns;
  const float squares = reduce_lanes<Add, LANES>(squares_of<STRIDE>(held, first, length, mean));
  const float rstd = inverse_deviation(squares, columns, epsilon);
  if (lane == 0 && r < rows) means[r] = mean, rstds[r] = rstd;
#pragma unroll
  for (int v = 0; v < VECTORS; ++v) {
    float value[WIDTH];
    for (int k = 0; k < WIDTH; ++k) value[k] = (held[v][k] - mean) * rstd * scale[v][k] + shift[v][k];
    store_vector(out + row, first + v * STRIDE, length, value);
  }
}
extern "C" __global__ void several_rows_by_element(const Element* x, const Element* gamma, const Element* beta,
                                                   Element* out, float* means, float* rstds, int rows, int columns,
                                                   float epsilon) {
  const int r = blockIdx.x * (BLOCK / LANES) + threadIdx.x / LANES, lane = threadIdx.x % LANES;
  const long long row = static_cast<long long>(r) * columns;
  const int length = r < rows ? columns : 0;
  const float mean = reduce_lanes<Add, LANES>(sum_pass(x + row, lane, LANES, length)) / columns;
  const float squares = reduce_lanes<Add, LANES>(square_pass(x + row, lane, LANES, length, mean));
  const float rstd = inverse_deviation(squares, columns, epsilon);
  if (lane == 0 && r < rows) means[r] = mean, rstds[r] = rstd;
  write_pass(x + row, gamma, beta, out + row, lane, LANES, length, mean, rstd);
}

// ---- Several CTAs for a row: each has a share of it in its registers, and publishes mean and squares of the share.
// CTAs start in the order of their index, so those of a row run at the same time as long as the GPU holds CTAS of them.
//
// published: 2 · CTAS words of 8 bytes for each row; entered: how many CTAs have ever entered for the row. Both start
// as 0.
struct Statistics {
  float mean, rstd;
};
// `center` and `squares` are those of this CTA's share: its mean, and the squares of the distances from it.
__device__ Statistics merge_ctas(float center, float squares, const Share& share, int columns, float epsilon,
                                 unsigned long long* published, unsigned epoch) {
  __shared__ Statistics all;
  published += static_cast<long long>(share.row) * CTAS * 2;
  if (threadIdx.x == 0) {
    publish(published + share.part * 2, center, epoch);
    publish(published + share.part * 2 + 1, squares, epoch);
  }
  if (threadIdx.x < 32) {
    Moments merged{};
    for (int other = threadIdx.x; other < CTAS; other += 32) {
      const float count = max(0, min(share.size, columns - other * share.size));
      merged = merge(merged, {count, poll(published + other * 2, epoch), poll(published + other * 2 + 1, epoch)});
    }
    merged = merge_lanes(merged);
    if (threadIdx.x == 0) all = {merged.mean, inverse_deviation(merged.squares, columns, epsilon)};
  }
  __syncthreads();
  return all;
}

extern "C" __global__ void __launch_bounds__(BLOCK)
    several_ctas(const Element* x, const Element* gamma, const Element* beta, Element* out, float* means, float* rstds,
                 int columns, float epsilon, unsigned long long* published, unsigned* entered) {
  __shared__ float per_warp[2][32];
  __shared__ unsigned epoch;
  const Share share(columns);
  enter_epoch(epoch, entered + share.slot);
  const long long row = static_cast<long long>(share.row) * columns + share.start;
  constexpr int STRIDE = BLOCK * WIDTH;
  const int first = threadIdx.x * WIDTH;
  Vector held[VECTORS];  // (VECTORS, WIDTH)
  load_row<STRIDE>(held, x + row, first, share.length);
  // In flight while the CTA waits: gamma to registers if they have room for as much again, the rest to the L2.
  constexpr bool ROOM = VECTORS <= 4;
  Vector scale[VECTORS];  // (VECTORS, WIDTH)
  if (ROOM) load_row<STRIDE>(scale, gamma + share.start, first, share.length);
  for (int v = 0; v < VECTORS; ++v)
    if (first + v * STRIDE < share.length) {
      if (!ROOM) prefetch_l2(gamma + share.start + first + v * STRIDE);
      prefetch_l2(beta + share.start + first + v * STRIDE);
    }
  const float center = reduce_cta<Add>(sum_of(held), per_warp[0]) / max(share.length, 1);
  const float squares = reduce_cta<Add>(squares_of<STRIDE>(held, first, share.length, center), per_warp[1]);
  const Statistics all = merge_ctas(center, squares, share, columns, epsilon, published, epoch);
  if (share.part == 0 && threadIdx.x == 0) means[share.row] = all.mean, rstds[share.row] = all.rstd;
  beta += share.start;
  if (ROOM)
    write_row<STRIDE>(held, scale, beta, out + row, first, share.length, all.mean, all.rstd);
  else
    write_row<STRIDE>(held, gamma + share.start, beta, out + row, first, share.length, all.mean, all.rstd);
}
extern "C" __global__ void several_ctas_by_element(const Element* x, const Element* gamma, const Element* beta,
                                                   Element* out, float* means, float* rstds, int columns, float epsilon,
                                                   unsigned long long* published, unsigned* entered) {
  __shared__ float per_warp[2][32];
  __shared__ unsigned epoch;
  const Share share(columns);
  enter_epoch(epoch, entered + share.slot);
  const long long row = static_cast<long long>(share.row) * columns + share.start;
  const float sum = reduce_cta<Add>(sum_pass(x + row, threadIdx.x, BLOCK, share.length), per_warp[0]);
  const float center = sum / max(share.length, 1);
  const float squares = reduce_cta<Add>(square_pass(x + row, threadIdx.x, BLOCK, share.length, center), per_warp[1]);
  const Statistics all = merge_ctas(center, squares, share, columns, epsilon, published, epoch);
  if (share.part == 0 && threadIdx.x == 0) means[share.row] = all.mean, rstds[share.row] = all.rstd;
  write_pass(x + row, gamma + share.start, beta + share.start, out + row, threadIdx.x, BLOCK, share.length, all.mean,
             all.rstd);
}
