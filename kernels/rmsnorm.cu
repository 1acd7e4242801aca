// RMSNorm of every row: out[r][c] = x[r][c] / sqrt(mean over row r of x² + ε) · gamma[c].
// `x` and `out` have `rows` rows of `columns` elements, `gamma` has `columns`. One number is known of a row before it is
// written, the sum of its squares. Who adds it up, and from how far away the row is read again, is what the schemes are.
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
  __shared__ float of_warp[32];
  const Element* row = x + static_cast<long long>(blockIdx.x) * columns;
  Element* to = out + static_cast<long long>(blockIdx.x) * columns;
  const float squares = reduce_cta<Add>(square_pass(row, threadIdx.x, BLOCK, columns), of_warp);
  write_pass(row, gamma, to, threadIdx.x, BLOCK, columns, inverse_rms(squares, columns, epsilon));
}

// ---- Scheme 2: the CTA loops over blocks of the row. A block is what its registers hold, VECTORS vectors in each
// thread; the second pass walks back, so that the last block is still there. A row of one block is read once.

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
  __shared__ float of_warp[32];
  const Element* row = x + static_cast<long long>(blockIdx.x) * columns;
  Element* to = out + static_cast<long long>(blockIdx.x) * columns;
  if (columns % WIDTH != 0) {  // rows start between vectors
    const float squares = reduce_cta<Add>(square_pass(row, threadIdx.x, BLOCK, columns), of_warp);
    return write_pass(row, gamma, to, threadIdx.x, BLOCK, columns, inverse_rms(squares, columns, epsilon));
  }
  constexpr int STRIDE = BLOCK * WIDTH, SPAN = VECTORS * STRIDE;
  const int mine = threadIdx.x * WIDTH, last = (columns - 1) / SPAN * SPAN;
  Vector held[VECTORS];
  float squares = 0;
  for (int block = 0; block <= last; block += SPAN) {
    load_block<STRIDE>(held, row, block + mine, columns);
    squares += squares_of(held);
  }
  const float scale = inverse_rms(reduce_cta<Add>(squares, of_warp), columns, epsilon);
  for (int block = last; block >= 0; block -= SPAN) {
    if (block != last) load_block<STRIDE>(held, row, block + mine, columns);
    write_block<STRIDE>(held, gamma, to, block + mine, columns, scale);
  }
}

// ---- Scheme 3: several CTAs for a row. Each has a share of it in its registers, adds the squares of the share to the
// row's sum by an atomic, and waits until all have done so. CTAs start in the order of their index, so those of a row
// run at the same time as long as the GPU holds CTAS of them.

struct Share {  // of a row, for one of its CTAs
  int row, part, start, length;
  __device__ explicit Share(int columns) : row(blockIdx.x / CTAS), part(blockIdx.x % CTAS) {
    const int share = (columns + CTAS * WIDTH - 1) / (CTAS * WIDTH) * WIDTH;
    start = min(part * share, columns);
    length = min(share, columns - start);
  }
};

// sums: two floats for each row, for turns that are even and odd; arrived, entered: how many CTAs have ever got so far.
// All start as 0.
extern "C" __global__ void __launch_bounds__(BLOCK)
    ctas_with_atomics(const Element* x, const Element* gamma, Element* out, int columns, float epsilon, float* sums,
                      unsigned* arrived, unsigned* entered) {
  __shared__ float of_warp[32], all;
  const Share share(columns);
  const Element* row = x + static_cast<long long>(share.row) * columns + share.start;
  Element* to = out + static_cast<long long>(share.row) * columns + share.start;
  unsigned turn = 0;  // of thread 0: how many launches came before
  if (threadIdx.x == 0) turn = atomicAdd(entered + share.row, 1) / CTAS;

  const bool aligned = columns % WIDTH == 0;
  constexpr int STRIDE = BLOCK * WIDTH, SPAN = VECTORS * STRIDE;
  const int mine = threadIdx.x * WIDTH, last = (share.length - 1) / SPAN * SPAN;
  Vector held[VECTORS];
  float squares = 0;
  if (aligned)
    for (int block = 0; block <= last; block += SPAN) {
      load_block<STRIDE>(held, row, block + mine, share.length);
      squares += squares_of(held);
    }
  else
    squares = square_pass(row, threadIdx.x, BLOCK, share.length);
  squares = reduce_cta<Add>(squares, of_warp);

  if (threadIdx.x == 0) {
    float* sum = sums + share.row * 2 + turn % 2;
    atomicAdd(sum, squares);
    __threadfence();  // the sum must be there before the count says so
    atomicAdd(arrived + share.row, 1);
    while (*static_cast<volatile unsigned*>(arrived + share.row) - turn * CTAS < CTAS && !NO_WAIT) {
    }
    __threadfence();
    all = *static_cast<volatile float*>(sum);
    if (share.part == 0) sums[share.row * 2 + (turn + 1) % 2] = 0;  // for the next launch; nobody reads it in this one
  }
  barrier();
  const float scale = inverse_rms(all, columns, epsilon);
  if (aligned)
    for (int block = last; block >= 0; block -= SPAN) {
      if (block != last) load_block<STRIDE>(held, row, block + mine, share.length);
      write_block<STRIDE>(held, gamma + share.start, to, block + mine, share.length, scale);
    }
  else
    write_pass(row, gamma + share.start, to, threadIdx.x, BLOCK, share.length, scale);
}

// ---- Scheme 3 without atomics on the sum: each CTA shows its part, and every CTA adds up all parts in the same order.
// There is no fence and no counter to wait for, and the result is the same in every run.
//
// places: CTAS words of 8 bytes for each row; entered: how many CTAs have ever entered for the row. Both start as 0.
extern "C" __global__ void __launch_bounds__(BLOCK)
    ctas_with_flags(const Element* x, const Element* gamma, Element* out, int columns, float epsilon,
                    unsigned long long* places, unsigned* entered) {
  __shared__ float of_warp[32];
  __shared__ unsigned turn;
  const Share share(columns);
  const Element* row = x + static_cast<long long>(share.row) * columns + share.start;
  Element* to = out + static_cast<long long>(share.row) * columns + share.start;
  if (threadIdx.x == 0) turn = atomicAdd(entered + share.row, 1) / CTAS + 1;  // 1 in the first launch, then 2, …

  const bool aligned = columns % WIDTH == 0;
  constexpr int STRIDE = BLOCK * WIDTH, SPAN = VECTORS * STRIDE;
  const int mine = threadIdx.x * WIDTH, last = (share.length - 1) / SPAN * SPAN;
  Vector held[VECTORS], weight[VECTORS];
  float squares = 0;
  if (aligned)
    for (int block = 0; block <= last; block += SPAN) {
      load_block<STRIDE>(held, row, block + mine, share.length);
      squares += squares_of(held);
    }
  else
    squares = square_pass(row, threadIdx.x, BLOCK, share.length);
  if (aligned) load_block<STRIDE>(weight, gamma + share.start, last + mine, share.length);  // on its way while we wait
  squares = reduce_cta<Add>(squares, of_warp);

  places += share.row * CTAS;
  if (threadIdx.x == 0) show(places + share.part, squares, turn);
  float sum = 0;
  for (int other = threadIdx.x % 32; other < CTAS; other += 32) sum += see(places + other, turn);
  const float scale = inverse_rms(reduce_lanes<Add>(sum), columns, epsilon);

  if (!aligned) return write_pass(row, gamma + share.start, to, threadIdx.x, BLOCK, share.length, scale);
  for (int block = last; block >= 0; block -= SPAN) {
    if (block != last) {
      load_block<STRIDE>(held, row, block + mine, share.length);
      load_block<STRIDE>(weight, gamma + share.start, block + mine, share.length);
    }
#pragma unroll
    for (int v = 0; v < VECTORS; ++v) {
      float value[WIDTH];
      for (int k = 0; k < WIDTH; ++k) value[k] = held[v][k] * scale * weight[v][k];
      store_vector(to, block + mine + v * STRIDE, share.length, value);
    }
  }
}

// ---- Scheme 4: several rows in a CTA. LANES lanes of a warp share one: no shared memory, no barrier.

extern "C" __global__ void __launch_bounds__(BLOCK)
    several_rows(const Element* x, const Element* gamma, Element* out, int rows, int columns, float epsilon) {
  const int r = blockIdx.x * (BLOCK / LANES) + threadIdx.x / LANES, lane = threadIdx.x % LANES;
  const Element* row = x + static_cast<long long>(r) * columns;
  Element* to = out + static_cast<long long>(r) * columns;
  const int length = r < rows ? columns : 0;  // of no row: nothing to do, but the shuffles want every lane
  if (columns % WIDTH != 0) {
    const float squares = reduce_lanes<Add, LANES>(square_pass(row, lane, LANES, length));
    return write_pass(row, gamma, to, lane, LANES, length, inverse_rms(squares, columns, epsilon));
  }
  constexpr int STRIDE = LANES * WIDTH, SPAN = VECTORS * STRIDE;
  const int mine = lane * WIDTH, last = (columns - 1) / SPAN * SPAN;
  Vector held[VECTORS];
  float squares = 0;
  for (int block = 0; block <= last; block += SPAN) {
    load_block<STRIDE>(held, row, block + mine, length);
    squares += squares_of(held);
  }
  const float scale = inverse_rms(reduce_lanes<Add, LANES>(squares), columns, epsilon);
  for (int block = last; block >= 0; block -= SPAN) {
    if (block != last) load_block<STRIDE>(held, row, block + mine, length);
    write_block<STRIDE>(held, gamma, to, block + mine, length, scale);
  }
}
