// Softmax of every row: out[r][c] = exp(x[r][c] - max of row r) / sum over row r of exp(x[r][j] - max of row r).
// `x` and `out` have `rows` rows of `columns` elements. The rungs read the row ever fewer times, and from ever closer.
//
// BLOCK    threads per CTA                  VECTORS  vectors of 16 bytes that a thread holds
// LANES    lanes that share a row           CTAS     CTAs that share a row
// DTYPE    0: fp32, 1: bf16 in memory
#include "rows.cuh"

// e^x by the hardware's 2^x: x · log2(e) goes in.
__device__ float fast_exp(float x) { return ex2_approx(1.44269504f * x); }
// No exponent is above 0, so nothing overflows, and at least one is 0, so the sum is at least 1.
__device__ float exp_below(float x, float max) { return fast_exp(x - max); }

// ---- Five kernels, one for each step. What one computes, the next reads from memory again.

extern "C" __global__ void row_maximum(const Element* x, float* maximum, int columns) {
  __shared__ float shared[BLOCK];
  const Element* row = x + static_cast<long long>(blockIdx.x) * columns;
  float max = Max::nothing();
  for (int c = threadIdx.x; c < columns; c += BLOCK) max = fmaxf(max, row[c]);
  max = reduce_by_tree<Max>(max, shared);
  if (threadIdx.x == 0) maximum[blockIdx.x] = max;
}
extern "C" __global__ void subtract(const Element* x, const float* maximum, float* step, int columns) {
  const long long row = static_cast<long long>(blockIdx.x) * columns;
  const float max = maximum[blockIdx.x];
  for (int c = threadIdx.x; c < columns; c += BLOCK) step[row + c] = static_cast<float>(x[row + c]) - max;
}
extern "C" __global__ void exponential(float* step, int columns) {
  const long long row = static_cast<long long>(blockIdx.x) * columns;
  for (int c = threadIdx.x; c < columns; c += BLOCK) step[row + c] = fast_exp(step[row + c]);
}
extern "C" __global__ void row_sum(const float* step, float* sums, int columns) {
  __shared__ float shared[BLOCK];
  const float* row = step + static_cast<long long>(blockIdx.x) * columns;
  float sum = 0;
  for (int c = threadIdx.x; c < columns; c += BLOCK) sum += row[c];
  sum = reduce_by_tree<Add>(sum, shared);
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}
extern "C" __global__ void divide(const float* step, const float* sums, Element* out, int columns) {
  const long long row = static_cast<long long>(blockIdx.x) * columns;
  const float scale = 1 / sums[blockIdx.x];
  for (int c = threadIdx.x; c < columns; c += BLOCK) out[row + c] = static_cast<Element>(step[row + c] * scale);
}

// ---- All steps in one kernel; a thread has a row for itself. Neighbouring lanes are a whole row apart.

extern "C" __global__ void thread_per_row(const Element* x, Element* out, int rows, int columns) {
  const long long r = static_cast<long long>(blockIdx.x) * BLOCK + threadIdx.x;
  if (r >= rows) return;
  const Element* row = x + r * columns;
  float max = Max::nothing();
  for (int c = 0; c < columns; ++c) max = fmaxf(max, row[c]);
  float sum = 0;
  for (int c = 0; c < columns; ++c) sum += exp_below(row[c], max);
  const float scale = 1 / sum;
  for (int c = 0; c < columns; ++c) out[r * columns + c] = static_cast<Element>(exp_below(row[c], max) * scale);
}

// ---- A CTA has a row for itself: neighbouring lanes read neighbours, and the CTA agrees on max and sum by a tree.

extern "C" __global__ void cta_per_row(const Element* x, Element* out, int columns) {
  __shared__ float shared[BLOCK];
  const Element* row = x + static_cast<long long>(blockIdx.x) * columns;
  Element* to = out + static_cast<long long>(blockIdx.x) * columns;
  float max = Max::nothing();
  for (int c = threadIdx.x; c < columns; c += BLOCK) max = fmaxf(max, row[c]);
  max = reduce_by_tree<Max>(max, shared);
  float sum = 0;
  for (int c = threadIdx.x; c < columns; c += BLOCK) sum += exp_below(row[c], max);
  sum = reduce_by_tree<Add>(sum, shared);
  const float scale = 1 / sum;
  for (int c = threadIdx.x; c < columns; c += BLOCK) to[c] = static_cast<Element>(exp_below(row[c], max) * scale);
}

// ---- The same, reduced by shuffles: one barrier for each reduction, not one for each step of a tree.

extern "C" __global__ void warp_shuffles(const Element* x, Element* out, int columns) {
  __shared__ float per_warp[2][32];
  const Element* row = x + static_cast<long long>(blockIdx.x) * columns;
  Element* to = out + static_cast<long long>(blockIdx.x) * columns;
  float max = Max::nothing();
  for (int c = threadIdx.x; c < columns; c += BLOCK) max = fmaxf(max, row[c]);
  max = reduce_cta<Max>(max, per_warp[0]);
  float sum = 0;
  for (int c = threadIdx.x; c < columns; c += BLOCK) sum += exp_below(row[c], max);
  sum = reduce_cta<Add>(sum, per_warp[1]);
  const float scale = 1 / sum;
  for (int c = threadIdx.x; c < columns; c += BLOCK) to[c] = static_cast<Element>(exp_below(row[c], max) * scale);
}

// ---- Online: max and sum in one pass. When the maximum grows, what has been summed so far is rescaled to the new one.

struct Running {
  float max, sum;
};
__device__ Running nothing_yet() { return {Max::nothing(), 0}; }
__device__ float rescale(float from, float to) { return exp_below(from, to); }

__device__ void update(Running& running, float x) {
  const float max = fmaxf(running.max, x);
  running.sum = running.sum * rescale(running.max, max) + exp_below(x, max);
  running.max = max;
}
// Two parts of a row, or of a warp's 32 lanes, become one in the same way.
template <int COUNT = 32>
__device__ Running merge_lanes(Running mine) {
  const float max = reduce_lanes<Max, COUNT>(mine.max);
  return {max, reduce_lanes<Add, COUNT>(mine.sum * rescale(mine.max, max))};
}
__device__ Running merge_cta(Running mine) {
  __shared__ Running per_warp[32];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  mine = merge_lanes(mine);
  if (lane == 0) per_warp[warp] = mine;
  __syncthreads();
  return merge_lanes(lane < BLOCK / 32 ? per_warp[lane] : nothing_yet());
}

// Elements first, first + step, … of a row.
__device__ Running online_pass(const Element* row, int first, int step, int columns) {
  Running running = nothing_yet();
  for (int c = first; c < columns; c += step) update(running, row[c]);
  return running;
}
__device__ void write_pass(const Element* row, Element* to, int first, int step, int columns, Running all) {
  const float scale = 1 / all.sum;
  for (int c = first; c < columns; c += step) to[c] = static_cast<Element>(exp_below(row[c], all.max) * scale);
}
extern "C" __global__ void online(const Element* x, Element* out, int columns) {
  const Element* row = x + static_cast<long long>(blockIdx.x) * columns;
  Element* to = out + static_cast<long long>(blockIdx.x) * columns;
  const Running all = merge_cta(online_pass(row, threadIdx.x, BLOCK, columns));
  write_pass(row, to, threadIdx.x, BLOCK, columns, all);
}

// ---- The row stays in registers, VECTORS vectors in each thread, and is read once. Here and below a row must fit, and
// start on 16 bytes; the host launches the rung before this one, or the kernel ..._by_element, where it does not.
// One kernel with a branch would be longer and, in most configurations, need more registers.

template <int STRIDE>  // elements from a thread's vector to its next one
__device__ void load_row(Vector (&held)[VECTORS], const Element* row, int first, int columns) {
#pragma unroll
  for (int v = 0; v < VECTORS; ++v) held[v] = load_vector(row, first + v * STRIDE, columns, negative_infinity());
}
__device__ Running running_of(const Vector (&held)[VECTORS]) {
  Running running = nothing_yet();
#pragma unroll
  for (int v = 0; v < VECTORS; ++v)
    for (int k = 0; k < WIDTH; ++k) running.max = fmaxf(running.max, held[v][k]);
#pragma unroll
  for (int v = 0; v < VECTORS; ++v)
    for (int k = 0; k < WIDTH; ++k) running.sum += exp_below(held[v][k], running.max);
  return running;
}
template <int STRIDE>
__device__ void write_row(const Vector (&held)[VECTORS], Element* row, int first, int columns, Running all) {
  const float scale = 1 / all.sum;
#pragma unroll
  for (int v = 0; v < VECTORS; ++v) {
    float value[WIDTH];
    for (int k = 0; k < WIDTH; ++k) value[k] = exp_below(held[v][k], all.max) * scale;
    store_vector(row, first + v * STRIDE, columns, value);
  }
}

extern "C" __global__ void __launch_bounds__(BLOCK) row_in_registers(const Element* x, Element* out, int columns) {
  const long long row = static_cast<long long>(blockIdx.x) * columns;
  constexpr int STRIDE = BLOCK * WIDTH;
  Vector held[VECTORS];  // (VECTORS, WIDTH), a thread's share
  load_row<STRIDE>(held, x + row, threadIdx.x * WIDTH, columns);
  const Running all = merge_cta(running_of(held));
  write_row<STRIDE>(held, out + row, threadIdx.x * WIDTH, columns, all);
}

// ---- Several rows in a CTA: LANES lanes of a warp share one. No shared memory, no barrier; good for short rows.

extern "C" __global__ void __launch_bounds__(BLOCK)
    several_rows(const Element* x, Element* out, int rows, int columns) {
  const int r = blockIdx.x * (BLOCK / LANES) + threadIdx.x / LANES, lane = threadIdx.x % LANES;
  const long long row = static_cast<long long>(r) * columns;
  if (r >= rows) columns = 0;  // past the last row: nothing to do, but shuffles need every lane
  constexpr int STRIDE = LANES * WIDTH;
  Vector held[VECTORS];  // (VECTORS, WIDTH)
  load_row<STRIDE>(held, x + row, lane * WIDTH, columns);
  const Running all = merge_lanes<LANES>(running_of(held));
  write_row<STRIDE>(held, out + row, lane * WIDTH, columns, all);
}
extern "C" __global__ void several_rows_by_element(const Element* x, Element* out, int rows, int columns) {
  const int r = blockIdx.x * (BLOCK / LANES) + threadIdx.x / LANES, lane = threadIdx.x % LANES;
  const long long row = static_cast<long long>(r) * columns;
  if (r >= rows) columns = 0;
  const Running all = merge_lanes<LANES>(online_pass(x + row, lane, LANES, columns));
  write_pass(x + row, out + row, lane, LANES, columns, all);
}

// ---- Several CTAs for a row: each has a share of it in its registers, publishes max and sum of the share, and
// waits for those of the others. CTAs start in the order of their index, so those of a row run at the same time as long
// as the GPU holds CTAS of them.
//
// published: 2 · CTAS words of 8 bytes for each row; entered: how many CTAs have ever entered for the row. Both start
// as 0.
__device__ Running merge_ctas(Running mine, const Share& share, unsigned long long* published, unsigned epoch) {
  __shared__ Running all;
  published += static_cast<long long>(share.row) * CTAS * 2;
  if (threadIdx.x == 0) {
    publish(published + share.part * 2, mine.max, epoch);
    publish(published + share.part * 2 + 1, mine.sum, epoch);
  }
  if (threadIdx.x < 32) {
    Running merged = nothing_yet();
    for (int other = threadIdx.x; other < CTAS; other += 32) {
      const Running theirs{poll(published + other * 2, epoch), poll(published + other * 2 + 1, epoch)};
      const float max = fmaxf(merged.max, theirs.max);
      merged = {max, merged.sum * rescale(merged.max, max) + theirs.sum * rescale(theirs.max, max)};
    }
    merged = merge_lanes(merged);
    if (threadIdx.x == 0) all = merged;
  }
  __syncthreads();
  return all;
}

extern "C" __global__ void __launch_bounds__(BLOCK)
    several_ctas(const Element* x, Element* out, int columns, unsigned long long* published, unsigned* entered) {
  __shared__ unsigned epoch;
  const Share share(columns);
  enter_epoch(epoch, entered + share.slot);
  const long long row = static_cast<long long>(share.row) * columns + share.start;
  constexpr int STRIDE = BLOCK * WIDTH;
  Vector held[VECTORS];  // (VECTORS, WIDTH)
  load_row<STRIDE>(held, x + row, threadIdx.x * WIDTH, share.length);
  const Running all = merge_ctas(merge_cta(running_of(held)), share, published, epoch);
  write_row<STRIDE>(held, out + row, threadIdx.x * WIDTH, share.length, all);
}
extern "C" __global__ void several_ctas_by_element(const Element* x, Element* out, int columns,
                                                   unsigned long long* published, unsigned* entered) {
  __shared__ unsigned epoch;
  const Share share(columns);
  enter_epoch(epoch, entered + share.slot);
  const long long row = static_cast<long long>(share.row) * columns + share.start;
  const Running mine = merge_cta(online_pass(x + row, threadIdx.x, BLOCK, share.length));
  write_pass(x + row, out + row, threadIdx.x, BLOCK, share.length, merge_ctas(mine, share, published, epoch));
}
