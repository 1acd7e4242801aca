// RMSNorm of every row: out[r][c] = x[r][c] / sqrt(mean over row r of x² + ε) · gamma[c].
// `x` and `out` have `rows` rows of `columns` elements, `gamma` has `columns`. One number is known of a row before it
// is written, the sum of its squares. Who adds it up, and from how far away the row is read again, is what the schemes
// are.
//
// BLOCK    threads per CTA                  VECTORS  vectors of 16 bytes that a thread holds
// LANES    lanes that share a row           CTAS     CTAs that share a row
// DTYPE    0: fp32, 1: bf16 in memory
#include "rows.cuh"

__device__ float inverse_rms(float squares, int columns, float epsilon) { return rsqrtf(squares / columns + epsilon); }

// Elements first, first + step, … of a row.
__device__ float square_pass(const Element* row, int first, int step, int columns) {
  float squares = 0;
  for (int c = first; c < columns; c += step) {
    const float value = row[c];
    squares += value * value;
  }
  return squares;
}
__device__ void write_pass(const Element* row, const Element* gamma, Element* to, int first, int step, int columns,
                           float scale) {
  for (int c = first; c < columns; c += step)
    to[c] = static_cast<Element>(static_cast<float>(row[c]) * scale * static_cast<float>(gamma[c]));
}

// ---- Scheme 1: a CTA for each row. Its threads go over the row twice, one element at a time.

extern "C" __global__ void cta_per_row(const Element* x, const Element* gamma, Element* out, int columns,
                                       float epsilon) {
  __shared__ float per_warp[32];
  const Element* row = x + static_cast<long long>(blockIdx.x) * columns;
  Element* to = out + static_cast<long long>(blockIdx.x) * columns;
  const float squares = reduce_cta<Add>(square_pass(row, threadIdx.x, BLOCK, columns), per_warp);
  write_pass(row, gamma, to, threadIdx.x, BLOCK, columns, inverse_rms(squares, columns, epsilon));
}

// ---- Scheme 2: the CTA loops over blocks of the row. A block is what its registers hold, VECTORS vectors in each
// thread; the second pass runs backwards, so the last block is still there. A row of one block is read once.
// Here and below rows start on 16 bytes; where they do not, the host launches scheme 1, or the kernel ..._by_element:
// one kernel with a branch would be longer and, in most configurations, need more registers.

template <int STRIDE>  // elements from a thread's vector to its next one
__device__ void load_block(Vector (&held)[VECTORS], const Element* row, int first, int columns) {
#pragma unroll
  for (int v = 0; v < VECTORS; ++v) held[v] = load_vector(row, first + v * STRIDE, columns);
}
__device__ float squares_of(const Vector (&held)[VECTORS]) {
  float squares = 0;
#pragma unroll
  for (int v = 0; v < VECTORS; ++v)
    for (int k = 0; k < WIDTH; ++k) squares += held[v][k] * held[v][k];
  return squares;
}
// gamma from registers, or from memory where it is used.
template <int STRIDE>
__device__ void write_block(const Vector (&held)[VECTORS], const Vector (&weight)[VECTORS], Element* row, int first,
                            int columns, float scale) {
#pragma unroll
  for (int v = 0; v < VECTORS; ++v) {
    float value[WIDTH];
    for (int k = 0; k < WIDTH; ++k) value[k] = held[v][k] * scale * weight[v][k];
    store_vector(row, first + v * STRIDE, columns, value);
  }
}
template <int STRIDE>
__device__ void write_block(const Vector (&held)[VECTORS], const Element* gamma, Element* row, int first, int columns,
                            float scale) {
#pragma unroll
  for (int v = 0; v < VECTORS; ++v) {
    const Vector weight = load_vector(gamma, first + v * STRIDE, columns);
    float value[WIDTH];
    for (int k = 0; k < WIDTH; ++k) value[k] = held[v][k] * scale * weight[k];
    store_vector(row, first + v * STRIDE, columns, value);
  }
}

extern "C" __global__ void __launch_bounds__(BLOCK)
    blocks_of_a_row(const Element* x, const Element* gamma, Element* out, int columns, float epsilon) {
  __shared__ float per_warp[32];
  const long long row = static_cast<long long>(blockIdx.x) * columns;
  constexpr int STRIDE = BLOCK * WIDTH, SPAN = VECTORS * STRIDE;
  const int first = threadIdx.x * WIDTH, last = (columns - 1) / SPAN * SPAN;
  Vector held[VECTORS];  // (VECTORS, WIDTH), a thread's share of a block
  float squares = 0;
  for (int block = 0; block <= last; block += SPAN) {
    load_block<STRIDE>(held, x + row, block + first, columns);
    squares += squares_of(held);
  }
  const float scale = inverse_rms(reduce_cta<Add>(squares, per_warp), columns, epsilon);
  for (int block = last; block >= 0; block -= SPAN) {
    if (block != last) load_block<STRIDE>(held, x + row, block + first, columns);
    write_block<STRIDE>(held, gamma, out + row, block + first, columns, scale);
  }
}

// ---- Scheme 3: several CTAs for a row. Each has a share of it in its registers, adds the squares of the share to the
// row's sum by an atomic, and waits until all have done so. CTAs start in the order of their index, so those of a row
// run at the same time as long as the GPU holds CTAS of them.
//
// sums: two floats for each of a row's 8 slots, for launches that are even and odd; arrived, entered: 8 counters for
// each row, of the CTAs that have ever got so far. All start as 0.
__device__ float sum_by_atomics(float mine, const Share& share, float* sums, unsigned* arrived, unsigned epoch) {
  __shared__ float all;
  sums += share.slot * 2;
  arrived += share.slot;
  if (threadIdx.x == 0) {
    const unsigned launch = epoch / 8;
    atomicAdd(sums + launch % 2, mine);
    __threadfence();  // the sum must be there before the count says so
    atomicAdd(arrived, 1);
    while (*static_cast<volatile unsigned*>(arrived) != launch * CTAS) {
    }
    __threadfence();
    all = *static_cast<volatile float*>(sums + launch % 2);
    if (share.part == 0) sums[(launch + 1) % 2] = 0;  // for the next launch; it is not read in this one
  }
  __syncthreads();
  return all;
}

extern "C" __global__ void __launch_bounds__(BLOCK)
    ctas_with_atomics(const Element* x, const Element* gamma, Element* out, int columns, float epsilon, float* sums,
                      unsigned* arrived, unsigned* entered) {
  __shared__ float per_warp[32];
  __shared__ unsigned epoch;
  const Share share(columns);
  enter_epoch(epoch, entered + share.slot);
  const long long row = static_cast<long long>(share.row) * columns + share.start;
  constexpr int STRIDE = BLOCK * WIDTH;
  const int first = threadIdx.x * WIDTH;
  Vector held[VECTORS];  // (VECTORS, WIDTH)
  load_block<STRIDE>(held, x + row, first, share.length);
  const float squares = reduce_cta<Add>(squares_of(held), per_warp);
  const float scale = inverse_rms(sum_by_atomics(squares, share, sums, arrived, epoch), columns, epsilon);
  write_block<STRIDE>(held, gamma + share.start, out + row, first, share.length, scale);
}
extern "C" __global__ void ctas_with_atomics_by_element(const Element* x, const Element* gamma, Element* out,
                                                        int columns, float epsilon, float* sums, unsigned* arrived,
                                                        unsigned* entered) {
  __shared__ float per_warp[32];
  __shared__ unsigned epoch;
  const Share share(columns);
  enter_epoch(epoch, entered + share.slot);
  const long long row = static_cast<long long>(share.row) * columns + share.start;
  const float squares = reduce_cta<Add>(square_pass(x + row, threadIdx.x, BLOCK, share.length), per_warp);
  const float scale = inverse_rms(sum_by_atomics(squares, share, sums, arrived, epoch), columns, epsilon);
  write_pass(x + row, gamma + share.start, out + row, threadIdx.x, BLOCK, share.length, scale);
}

// ---- Scheme 3 with flags: each CTA publishes its part, and every CTA adds up all parts in the same order. There is
// neither an atomic on the sum nor a fence, and the result is the same in every run. gamma is fetched while the CTA
// waits.
//
// published: CTAS words of 8 bytes for each row; entered: 8 counters for each row. Both start as 0.
__device__ float sum_by_flags(float mine, const Share& share, unsigned long long* published, unsigned epoch) {
  __shared__ float all;
  published += static_cast<long long>(share.row) * CTAS;
  if (threadIdx.x == 0) publish(published + share.part, mine, epoch);
  if (threadIdx.x < 32) {
    float sum = 0;
    for (int other = threadIdx.x; other < CTAS; other += 32) sum += poll(published + other, epoch);
    sum = reduce_lanes<Add>(sum);
    if (threadIdx.x == 0) all = sum;
  }
  __syncthreads();
  return all;
}

extern "C" __global__ void __launch_bounds__(BLOCK)
    ctas_with_flags(const Element* x, const Element* gamma, Element* out, int columns, float epsilon,
                    unsigned long long* published, unsigned* entered) {
  __shared__ float per_warp[32];
  __shared__ unsigned epoch;
  const Share share(columns);
  enter_epoch(epoch, entered + share.slot);
  const long long row = static_cast<long long>(share.row) * columns + share.start;
  constexpr int STRIDE = BLOCK * WIDTH;
  const int first = threadIdx.x * WIDTH;
  Vector held[VECTORS], weight[VECTORS];  // (VECTORS, WIDTH) each
  load_block<STRIDE>(held, x + row, first, share.length);
  // Registers have room for as much again of gamma, or it is only brought as near as the L2.
  constexpr bool ROOM = VECTORS <= 4;
  if (ROOM) load_block<STRIDE>(weight, gamma + share.start, first, share.length);
  for (int v = 0; v < VECTORS; ++v)
    if (!ROOM && first + v * STRIDE < share.length) prefetch_l2(gamma + share.start + first + v * STRIDE);
  const float squares = reduce_cta<Add>(squares_of(held), per_warp);
  const float scale = inverse_rms(sum_by_flags(squares, share, published, epoch), columns, epsilon);
  if (ROOM)
    write_block<STRIDE>(held, weight, out + row, first, share.length, scale);
  else
    write_block<STRIDE>(held, gamma + share.start, out + row, first, share.length, scale);
}
extern "C" __global__ void ctas_with_flags_by_element(const Element* x, const Element* gamma, Element* out, int columns,
                                                      float epsilon, unsigned long long* published, unsigned* entered) {
  __shared__ float per_warp[32];
  __shared__ unsigned epoch;
  const Share share(columns);
  enter_epoch(epoch, entered + share.slot);
  const long long row = static_cast<long long>(share.row) * columns + share.start;
  const float squares = reduce_cta<Add>(square_pass(x + row, threadIdx.x, BLOCK, share.length), per_warp);
  const float scale = inverse_rms(sum_by_flags(squares, share, published, epoch), columns, epsilon);
  write_pass(x + row, gamma + share.start, out + row, threadIdx.x, BLOCK, share.length, scale);
}

// ---- Scheme 4: several rows in a CTA. LANES lanes of a warp share one: no shared memory, no barrier.

extern "C" __global__ void __launch_bounds__(BLOCK)
    several_rows(const Element* x, const Element* gamma, Element* out, int rows, int columns, float epsilon) {
  const int r = blockIdx.x * (BLOCK / LANES) + threadIdx.x / LANES, lane = threadIdx.x % LANES;
  const long long row = static_cast<long long>(r) * columns;
  const int length = r < rows ? columns : 0;  // past the last row: nothing to do, but shuffles need every lane
  constexpr int STRIDE = LANES * WIDTH;
  const int first = lane * WIDTH;
  Vector held[VECTORS], weight[VECTORS];  // (VECTORS, WIDTH) each
  load_block<STRIDE>(held, x + row, first, length);
  load_block<STRIDE>(weight, gamma, first, length);  // all loads in flight before the first sum
  const float scale = inverse_rms(reduce_lanes<Add, LANES>(squares_of(held)), columns, epsilon);
  write_block<STRIDE>(held, weight, out + row, first, length, scale);
}
extern "C" __global__ void several_rows_by_element(const Element* x, const Element* gamma, Element* out, int rows,
                                                   int columns, float epsilon) {
  const int r = blockIdx.x * (BLOCK / LANES) + threadIdx.x / LANES, lane = threadIdx.x % LANES;
  const long long row = static_cast<long long>(r) * columns;
  const int length = r < rows ? columns : 0;
  const float squares = reduce_lanes<Add, LANES>(square_pass(x + row, lane, LANES, length));
  write_pass(x + row, gamma, out + row, lane, LANES, length, inverse_rms(squares, columns, epsilon));
}
