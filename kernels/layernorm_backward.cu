// The backward pass of LayerNorm. With n = (x - mean) · rstd, the normal form of a row, and g = dy · gamma:
//   dx = rstd · (g - mean over the row of g - n · mean over the row of g · n)
//   dgamma[c] = sum over all rows of dy · n          dbeta[c] = sum over all rows of dy
// dx sums along rows, dgamma and dbeta along columns. `x`, `dy`, `dx` have `rows` rows of `columns` elements.
//
// BLOCK    threads per CTA                  VECTORS  vectors of 16 bytes of a row that a thread holds
// SLABS    groups of rows whose column sums are kept apart until the end
// STAGES   rows of x and dy that shared memory holds: one is in use, the others are in flight
// DTYPE    0: fp32, 1: bf16 in memory
#include "column_sums.cuh"
#include "rows.cuh"

struct RowSums {
  float g, gn;  // sums of g and of g · n
};
/// Reduces both sums over all threads of the CTA, with one barrier. `per_warp`: (32), which nothing else uses.
__device__ RowSums reduce_both(RowSums mine, RowSums* per_warp) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  mine = {reduce_lanes<Add>(mine.g), reduce_lanes<Add>(mine.gn)};
  if (lane == 0) per_warp[warp] = mine;
  __syncthreads();
  const RowSums other = lane < BLOCK / 32 ? per_warp[lane] : RowSums{};
  return {reduce_lanes<Add>(other.g), reduce_lanes<Add>(other.gn)};
}

// ---- dx: a CTA for each row goes over x and dy twice, one element at a time.

// Elements first, first + step, … of a row.
__device__ RowSums sum_pass(const Element* x, const Element* dy, const Element* gamma, int first, int step, int columns,
                            float mean, float rstd) {
  RowSums sums{};
  for (int c = first; c < columns; c += step) {
    const float g = static_cast<float>(dy[c]) * static_cast<float>(gamma[c]);
    sums.g += g;
    sums.gn += g * (static_cast<float>(x[c]) - mean) * rstd;
  }
  return sums;
}
__device__ void write_pass(const Element* x, const Element* dy, const Element* gamma, Element* dx, int first, int step,
                           int columns, float mean, float rstd, RowSums all) {
  for (int c = first; c < columns; c += step) {
    const float g = static_cast<float>(dy[c]) * static_cast<float>(gamma[c]);
    const float n = (static_cast<float>(x[c]) - mean) * rstd;
    dx[c] = static_cast<Element>(rstd * (g - (all.g + n * all.gn) / columns));
  }
}

extern "C" __global__ void dx_per_element(const Element* x, const Element* dy, const Element* gamma, const float* means,
                                          const float* rstds, Element* dx, int columns) {
  __shared__ RowSums per_warp[32];
  const long long row = static_cast<long long>(blockIdx.x) * columns;
  const float mean = means[blockIdx.x], rstd = rstds[blockIdx.x];
  const RowSums mine = sum_pass(x + row, dy + row, gamma, threadIdx.x, BLOCK, columns, mean, rstd);
  write_pass(x + row, dy + row, gamma, dx + row, threadIdx.x, BLOCK, columns, mean, rstd, reduce_both(mine, per_warp));
}

// ---- dgamma and dbeta: a thread for each column loops over all rows. With few columns most of the GPU is idle.

extern "C" __global__ void columns_per_thread(const Element* x, const Element* dy, const float* means,
                                              const float* rstds, float* dgamma, float* dbeta, int rows, int columns) {
  const int c = blockIdx.x * BLOCK + threadIdx.x;
  if (c >= columns) return;
  float scale = 0, shift = 0;
  for (int r = 0; r < rows; ++r) {
    const long long at = static_cast<long long>(r) * columns + c;
    const float gradient = dy[at];
    scale += gradient * (static_cast<float>(x[at]) - means[r]) * rstds[r];
    shift += gradient;
  }
  dgamma[c] = scale;
  dbeta[c] = shift;
}

// ---- dx from registers: x and dy of the row are read once, if they fit.

template <int STRIDE>  // elements from a thread's vector to its next one
__device__ void load_block(Vector (&held)[VECTORS], const Element* row, int first, int columns) {
#pragma unroll
  for (int v = 0; v < VECTORS; ++v) held[v] = load_vector(row, first + v * STRIDE, columns);
}
template <int STRIDE>
__device__ RowSums sums_of(const Vector (&held)[VECTORS], const Vector (&gradient)[VECTORS], const Element* gamma,
                           int first, int columns, float mean, float rstd) {
  RowSums sums{};
#pragma unroll
  for (int v = 0; v < VECTORS; ++v) {
    const Vector scale = load_vector(gamma, first + v * STRIDE, columns);
    for (int k = 0; k < WIDTH; ++k) {
      const float g = gradient[v][k] * scale[k];
      sums.g += g;
      sums.gn += g * (held[v][k] - mean) * rstd;
    }
  }
  return sums;
}
template <int STRIDE>
__device__ void write_block(const Vector (&held)[VECTORS], const Vector (&gradient)[VECTORS], const Element* gamma,
                            Element* dx, int first, int columns, float mean, float rstd, RowSums means) {
#pragma unroll
  for (int v = 0; v < VECTORS; ++v) {
    const Vector scale = load_vector(gamma, first + v * STRIDE, columns);
    float value[WIDTH];
    for (int k = 0; k < WIDTH; ++k)
      value[k] = rstd * (gradient[v][k] * scale[k] - means.g - (held[v][k] - mean) * rstd * means.gn);
    store_vector(dx, first + v * STRIDE, columns, value);
  }
}

extern "C" __global__ void __launch_bounds__(BLOCK)
    dx_in_registers(const Element* x, const Element* dy, const Element* gamma, const float* means, const float* rstds,
                    Element* dx, int columns) {
  __shared__ RowSums per_warp[32];
  const long long row = static_cast<long long>(blockIdx.x) * columns;
  const float mean = means[blockIdx.x], rstd = rstds[blockIdx.x];
  x += row, dy += row, dx += row;
  if (columns % WIDTH != 0) {  // rows start between vectors
    const RowSums sums = sum_pass(x, dy, gamma, threadIdx.x, BLOCK, columns, mean, rstd);
    return write_pass(x, dy, gamma, dx, threadIdx.x, BLOCK, columns, mean, rstd, reduce_both(sums, per_warp));
  }
  constexpr int STRIDE = BLOCK * WIDTH, SPAN = VECTORS * STRIDE;
  const int first = threadIdx.x * WIDTH, last = (columns - 1) / SPAN * SPAN;
  Vector held[VECTORS], gradient[VECTORS];  // (VECTORS, WIDTH) each
  RowSums sums{};
  for (int block = 0; block <= last; block += SPAN) {
    load_block<STRIDE>(held, x, block + first, columns);
    load_block<STRIDE>(gradient, dy, block + first, columns);
    const RowSums more = sums_of<STRIDE>(held, gradient, gamma, block + first, columns, mean, rstd);
    sums = {sums.g + more.g, sums.gn + more.gn};
  }
  sums = reduce_both(sums, per_warp);
  for (int block = last; block >= 0; block -= SPAN) {
    if (block != last) {
      load_block<STRIDE>(held, x, block + first, columns);
      load_block<STRIDE>(gradient, dy, block + first, columns);
    }
    write_block<STRIDE>(held, gradient, gamma, dx, block + first, columns, mean, rstd,
                        {sums.g / columns, sums.gn / columns});
  }
}

// ---- dgamma and dbeta in slabs: the rows are cut into SLABS groups, and a CTA sums 32 columns of one slab,
// BLOCK / 32 rows at a time. Then the slabs' sums are added, always in the same order.
//
// parts: the sums for dgamma, SLABS rows of `columns`, then those for dbeta.
template <int THREADS>
__device__ void sum_warps(float (&mine)[2]) {  // over the CTA's warps, lane by lane; the result is in warp 0
  __shared__ float per_warp[THREADS / 32][2][32];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int i = 0; i < 2; ++i) per_warp[warp][i][lane] = mine[i];
  __syncthreads();
  for (int other = 1; other < THREADS / 32 && warp == 0; ++other)
    for (int i = 0; i < 2; ++i) mine[i] += per_warp[other][i][lane];
}

extern "C" __global__ void columns_in_slabs(const Element* x, const Element* dy, const float* means, const float* rstds,
                                            float* parts, int rows, int columns) {
  const int c = blockIdx.x * 32 + threadIdx.x % 32, slab = blockIdx.y;
  const int height = (rows + SLABS - 1) / SLABS, end = min(rows, (slab + 1) * height);
  float sums[2] = {};
  for (int r = slab * height + threadIdx.x / 32; r < end; r += BLOCK / 32)
    if (c < columns) {
      const long long at = static_cast<long long>(r) * columns + c;
      const float gradient = dy[at];
      sums[0] += gradient * (static_cast<float>(x[at]) - means[r]) * rstds[r];
      sums[1] += gradient;
    }
  sum_warps<BLOCK>(sums);
  if (threadIdx.x < 32 && c < columns)
    for (int i = 0; i < 2; ++i) parts[(static_cast<long long>(i) * SLABS + slab) * columns + c] = sums[i];
}

// slabs: how many rows `parts` has for each of the two. Few CTAs go down many slabs: the number of their threads does
// not follow BLOCK, and loads of several slabs are in flight at a time.
constexpr int ADDERS = 512;
extern "C" __global__ void add_slabs(const float* parts, float* dgamma, float* dbeta, int slabs, int columns) {
  const int c = blockIdx.x * 32 + threadIdx.x % 32;
  float sums[2] = {};
  if (c < columns)
#pragma unroll 8
    for (int slab = threadIdx.x / 32; slab < slabs; slab += ADDERS / 32) {
      sums[0] += parts[static_cast<long long>(slab) * columns + c];
      sums[1] += parts[static_cast<long long>(slabs + slab) * columns + c];
    }
  sum_warps<ADDERS>(sums);
  if (threadIdx.x < 32 && c < columns) dgamma[c] = sums[0], dbeta[c] = sums[1];
}

// ---- Fused: a CTA takes every gridDim.x-th row. While x and dy of a row are in its registers for dx, it adds
// them to its own sums of the columns. x and dy are read once for everything; add_slabs does the rest.

// What a vector of x and of dy adds to the sums of its columns.
__device__ void add_vector(float* dgamma, float* dbeta, int at, int columns, const Vector& held, const Vector& gradient,
                           float mean, float rstd) {
  if (at >= columns) return;
#pragma unroll
  for (int k = 0; k < WIDTH; k += 4) {
    float4 gammas = *reinterpret_cast<float4*>(dgamma + at + k), betas = *reinterpret_cast<float4*>(dbeta + at + k);
    gammas.x += gradient[k] * (held[k] - mean) * rstd;
    gammas.y += gradient[k + 1] * (held[k + 1] - mean) * rstd;
    gammas.z += gradient[k + 2] * (held[k + 2] - mean) * rstd;
    gammas.w += gradient[k + 3] * (held[k + 3] - mean) * rstd;
    betas.x += gradient[k];
    betas.y += gradient[k + 1];
    betas.z += gradient[k + 2];
    betas.w += gradient[k + 3];
    *reinterpret_cast<float4*>(dgamma + at + k) = gammas;
    *reinterpret_cast<float4*>(dbeta + at + k) = betas;
  }
}

// dgamma, dbeta: the CTA's sums of all columns.
__device__ void process_rows(const Element* x, const Element* dy, const Element* gamma, const float* means,
                             const float* rstds, Element* dx, float* dgamma, float* dbeta, int rows, int columns) {
  __shared__ RowSums per_warp[2][32];
  constexpr int STRIDE = BLOCK * WIDTH, SPAN = VECTORS * STRIDE;
  const int first = threadIdx.x * WIDTH, last = (columns - 1) / SPAN * SPAN;
  const bool aligned = columns % WIDTH == 0;  // else rows start between vectors, and go element by element
  const int stride = aligned ? STRIDE : BLOCK, width = aligned ? WIDTH : 1;
  // A thread has the same columns in every row, so that its sums need no barrier.
  for (int c = threadIdx.x * width; c < columns; c += stride)
    for (int k = 0; k < width; ++k) dgamma[c + k] = dbeta[c + k] = 0;
  int buffer = 0;
  for (int r = blockIdx.x; r < rows; r += gridDim.x, buffer ^= 1) {
    const long long row = static_cast<long long>(r) * columns;
    const float mean = means[r], rstd = rstds[r];
    if (!aligned) {
      const RowSums sums = sum_pass(x + row, dy + row, gamma, threadIdx.x, BLOCK, columns, mean, rstd);
      for (int c = threadIdx.x; c < columns; c += BLOCK) {
        const float gradient = dy[row + c];
        dgamma[c] += gradient * (static_cast<float>(x[row + c]) - mean) * rstd;
        dbeta[c] += gradient;
      }
      write_pass(x + row, dy + row, gamma, dx + row, threadIdx.x, BLOCK, columns, mean, rstd,
                 reduce_both(sums, per_warp[buffer]));
      continue;
    }
    Vector held[VECTORS], gradient[VECTORS];  // (VECTORS, WIDTH) each
    RowSums sums{};
    for (int block = 0; block <= last; block += SPAN) {
      load_block<STRIDE>(held, x + row, block + first, columns);
      load_block<STRIDE>(gradient, dy + row, block + first, columns);
      const RowSums more = sums_of<STRIDE>(held, gradient, gamma, block + first, columns, mean, rstd);
      sums = {sums.g + more.g, sums.gn + more.gn};
#pragma unroll
      for (int v = 0; v < VECTORS; ++v)
        add_vector(dgamma, dbeta, block + first + v * STRIDE, columns, held[v], gradient[v], mean, rstd);
    }
    sums = reduce_both(sums, per_warp[buffer]);
    for (int block = last; block >= 0; block -= SPAN) {
      if (block != last) {
        load_block<STRIDE>(held, x + row, block + first, columns);
        load_block<STRIDE>(gradient, dy + row, block + first, columns);
      }
      write_block<STRIDE>(held, gradient, gamma, dx + row, block + first, columns, mean, rstd,
                          {sums.g / columns, sums.gn / columns});
    }
  }
}

// The sums are in shared memory: 8 bytes for each column.
extern "C" __global__ void __launch_bounds__(BLOCK)
    fused(const Element* x, const Element* dy, const Element* gamma, const float* means, const float* rstds,
          Element* dx, float* parts, int rows, int columns) {
  extern __shared__ __align__(16) float sums[];  // (2, pitch): for dgamma, then for dbeta
  const int pitch = (columns + 3) / 4 * 4;       // so that both halves start on 16 bytes
  process_rows(x, dy, gamma, means, rstds, dx, sums, sums + pitch, rows, columns);
  __syncthreads();
  for (int c = threadIdx.x; c < columns; c += BLOCK) {
    parts[static_cast<long long>(blockIdx.x) * columns + c] = sums[c];
    parts[(static_cast<long long>(gridDim.x) + blockIdx.x) * columns + c] = sums[pitch + c];
  }
}
// Rows that are too long for that: the sums are in the CTA's own rows of `parts`, from where the L2 serves them.
extern "C" __global__ void __launch_bounds__(BLOCK)
    fused_wide(const Element* x, const Element* dy, const Element* gamma, const float* means, const float* rstds,
               Element* dx, float* parts, int rows, int columns) {
  process_rows(x, dy, gamma, means, rstds, dx, parts + static_cast<long long>(blockIdx.x) * columns,
               parts + (static_cast<long long>(gridDim.x) + blockIdx.x) * columns, rows, columns);
}

// ---- Several rows in a CTA: LANES lanes of a warp share one, so that its sums are shuffles and no row has a barrier.
// A lane has the same columns in each of its rows; it keeps their sums in registers until the end.
//
// A lane's share of a row is VECTORS vectors. BY_ELEMENT is for rows that start between vectors: then a vector is put
// together from elements that lie LANES apart, so that neighbouring lanes still read neighbours.

template <bool BY_ELEMENT>
__device__ void load_share(Vector (&held)[VECTORS], const Element* row, int lane, int columns) {
  if constexpr (BY_ELEMENT) {
#pragma unroll
    for (int v = 0; v < VECTORS; ++v) {
      float value[WIDTH];
      for (int k = 0; k < WIDTH; ++k) {
        const int c = (v * WIDTH + k) * LANES + lane;
        value[k] = c < columns ? static_cast<float>(row[c]) : 0;
      }
      held[v] = pack(value);
    }
  } else {
    load_block<LANES * WIDTH>(held, row, lane * WIDTH, columns);
  }
}
template <bool BY_ELEMENT>
__device__ void store_share(Element* row, int v, int lane, int columns, const float (&value)[WIDTH]) {
  if constexpr (BY_ELEMENT) {
    for (int k = 0; k < WIDTH; ++k) {
      const int c = (v * WIDTH + k) * LANES + lane;
      if (c < columns) row[c] = static_cast<Element>(value[k]);
    }
  } else {
    store_vector(row, (v * LANES + lane) * WIDTH, columns, value);
  }
}

// What a lane has of a row; nothing but zeros if there is no such row.
struct RowShare {
  Vector x[VECTORS], dy[VECTORS];  // (VECTORS, WIDTH) each
  float mean, rstd;
};
template <bool BY_ELEMENT>
__device__ RowShare load_row(const Element* x, const Element* dy, const float* means, const float* rstds, int r,
                             int lane, int rows, int columns) {
  RowShare share;
  const int length = r < rows ? columns : 0;
  const long long row = static_cast<long long>(r) * columns;
  load_share<BY_ELEMENT>(share.x, x + row, lane, length);
  load_share<BY_ELEMENT>(share.dy, dy + row, lane, length);
  share.mean = r < rows ? means[r] : 0;
  share.rstd = r < rows ? rstds[r] : 0;
  return share;
}

// bf16 stays packed between its two uses, and gamma between the rows: else the compiler keeps what it has unpacked
// once, in twice the registers. An instruction other than that of operator[] gives a different value, and so does one
// that might have changed it.
__device__ float unpack_again(const Vector& vector, int k) {
#if DTYPE == 1
  return __uint_as_float(__byte_perm(vector.word[k / 2], 0, k % 2 == 1 ? 0x3244 : 0x1044));
#else
  return vector[k];
#endif
}
__device__ void keep_packed(Vector (&held)[VECTORS]) {
#pragma unroll
  for (int v = 0; v < VECTORS && DTYPE == 1; ++v)
    for (int i = 0; i < 4; ++i) asm volatile("" : "+r"(held[v].word[i]));
}

// Reduces over the lanes of a group. One sum is added while the shuffle of the other is in flight.
__device__ RowSums reduce_group(RowSums mine) {
#pragma unroll
  for (int distance = LANES / 2; distance > 0; distance /= 2) {
    const float g = __shfl_xor_sync(0xffffffff, mine.g, distance), gn = __shfl_xor_sync(0xffffffff, mine.gn, distance);
    mine = {mine.g + g, mine.gn + gn};
  }
  return mine;
}

// dx of a row, and what the row adds to the sums of the columns. inverse: of the number of columns.
template <bool BY_ELEMENT>
__device__ void process_row(const RowShare& row, Vector (&weight)[VECTORS], ColumnSums& sums, Element* dx, int lane,
                            int length, float inverse) {
  RowSums mine{};
#pragma unroll
  for (int v = 0; v < VECTORS; ++v)
#pragma unroll
    for (int k = 0; k < WIDTH; ++k) {
      const float gradient = row.dy[v][k], normal = (row.x[v][k] - row.mean) * row.rstd, g = gradient * weight[v][k];
      mine.g += g;
      mine.gn += g * normal;
      sums[0][v][k] += gradient * normal;
      sums[1][v][k] += gradient;
    }
  keep_packed(weight);
  mine = reduce_group(mine);
  const RowSums means{mine.g * inverse, mine.gn * inverse};
#pragma unroll
  for (int v = 0; v < VECTORS; ++v) {
    float value[WIDTH];
#pragma unroll
    for (int k = 0; k < WIDTH; ++k) {
      const float g = unpack_again(row.dy[v], k) * unpack_again(weight[v], k);
      value[k] = row.rstd * (g - means.g - (unpack_again(row.x[v], k) - row.mean) * row.rstd * means.gn);
    }
    store_share<BY_ELEMENT>(dx, v, lane, length, value);
  }
}

template <bool BY_ELEMENT>
__device__ void process_rows_by_lanes(const Element* x, const Element* dy, const Element* gamma, const float* means,
                                      const float* rstds, Element* dx, float* parts, int rows, int columns) {
  constexpr int ROWS = BLOCK / LANES;  // that the CTA has at a time
  // Two rows at a time, the next one in flight while the lanes wait for the sums of this one: where registers allow.
  constexpr bool AHEAD = VECTORS <= (BY_ELEMENT || WIDTH == 8 ? 4 : 8);
  const int lane = threadIdx.x % LANES, step = gridDim.x * ROWS;
  Vector weight[VECTORS];  // (VECTORS, WIDTH)
  load_share<BY_ELEMENT>(weight, gamma, lane, columns);
  ColumnSums sums{};
  int r = blockIdx.x * ROWS + threadIdx.x / LANES;
  const float inverse = 1.0f / columns;
  RowShare row, next;
  if (AHEAD) next = load_row<BY_ELEMENT>(x, dy, means, rstds, r, lane, rows, columns);
  // The same number of iterations for each lane of a warp: the shuffles need every lane, also those that have no row
  // left.
  for (int top = blockIdx.x * ROWS; top < rows; top += step, r += step) {
    if (AHEAD) row = next;
    (AHEAD ? next : row) = load_row<BY_ELEMENT>(x, dy, means, rstds, AHEAD ? r + step : r, lane, rows, columns);
    process_row<BY_ELEMENT>(row, weight, sums, dx + static_cast<long long>(r) * columns, lane, r < rows ? columns : 0,
                            inverse);
  }
  add_groups<BY_ELEMENT>(sums, parts, columns);
}

extern "C" __global__ void __launch_bounds__(BLOCK)
    several_rows(const Element* x, const Element* dy, const Element* gamma, const float* means, const float* rstds,
                 Element* dx, float* parts, int rows, int columns) {
  process_rows_by_lanes<false>(x, dy, gamma, means, rstds, dx, parts, rows, columns);
}
extern "C" __global__ void __launch_bounds__(BLOCK)
    several_rows_by_element(const Element* x, const Element* dy, const Element* gamma, const float* means,
                            const float* rstds, Element* dx, float* parts, int rows, int columns) {
  process_rows_by_lanes<true>(x, dy, gamma, means, rstds, dx, parts, rows, columns);
}

// ---- Rows ahead: a row for the whole CTA again, its threads holding the sums of their columns in registers as above.
// There is no room left for a second row there: cp.async brings the next STAGES - 1 rows of x and dy into shared
// memory. A thread only ever reads what it has copied itself, so that the only barrier of a row is that of its sums.

constexpr int ROW_VECTORS = VECTORS * BLOCK;  // vectors of a row of x, or of dy

// Starts the copies of the thread's vectors of row r of x and dy to a stage, as one group. Beyond the last row the
// group is empty.
__device__ void copy_row_async(unsigned stage, const Element* x, const Element* dy, int r, int rows, int columns) {
  const int first = threadIdx.x * WIDTH;
  const long long at = static_cast<long long>(r) * columns + first;
  if (r < rows)
#pragma unroll
    for (int v = 0; v < VECTORS; ++v) {
      const int bytes = first + v * BLOCK * WIDTH < columns ? 16 : 0, to = (v * BLOCK + threadIdx.x) * 16;
      const long long from = bytes > 0 ? at + v * BLOCK * WIDTH : 0;
      cp_async(stage + to, x + from, bytes);
      cp_async(stage + to + ROW_VECTORS * 16, dy + from, bytes);
    }
  cp_async_commit_group();
}

extern "C" __global__ void __launch_bounds__(BLOCK)
    rows_ahead(const Element* x, const Element* dy, const Element* gamma, const float* means, const float* rstds,
               Element* dx, float* parts, int rows, int columns) {
  extern __shared__ __align__(16) Vector ring[];  // (STAGES, 2, ROW_VECTORS): x, then dy
  __shared__ RowSums per_warp[2][32];
  const unsigned first = shared_address(ring);
  const float inverse = 1.0f / columns;
#pragma unroll
  for (int s = 0; s < STAGES - 1; ++s)
    copy_row_async(first + s * 2 * ROW_VECTORS * 16, x, dy, blockIdx.x + s * gridDim.x, rows, columns);
  Vector weight[VECTORS];  // (VECTORS, WIDTH)
  load_block<BLOCK * WIDTH>(weight, gamma, threadIdx.x * WIDTH, columns);
  ColumnSums sums{};
  float mean = means[blockIdx.x], rstd = rstds[blockIdx.x];
  int stage = 0, buffer = 0;
  for (int r = blockIdx.x; r < rows; r += gridDim.x, buffer ^= 1) {
    const int writing = stage == 0 ? STAGES - 1 : stage - 1;  // the stage of the row before
    copy_row_async(first + writing * 2 * ROW_VECTORS * 16, x, dy, r + (STAGES - 1) * gridDim.x, rows, columns);
    const int next = r + gridDim.x < rows ? r + gridDim.x : r;
    const float next_mean = means[next], next_rstd = rstds[next];
    cp_async_wait_group<STAGES - 1>();
    const Vector* held = ring + stage * 2 * ROW_VECTORS + threadIdx.x;
    RowSums all{};
#pragma unroll
    for (int v = 0; v < VECTORS; ++v) {
      const Vector share = held[v * BLOCK], gradients = held[ROW_VECTORS + v * BLOCK];
#pragma unroll
      for (int k = 0; k < WIDTH; ++k) {
        const float gradient = gradients[k], normal = (share[k] - mean) * rstd, g = gradient * weight[v][k];
        all.g += g;
        all.gn += g * normal;
        sums[0][v][k] += gradient * normal;
        sums[1][v][k] += gradient;
      }
    }
    keep_packed(weight);
    all = reduce_both(all, per_warp[buffer]);
#pragma unroll
    for (int v = 0; v < VECTORS; ++v) {  // once more from shared memory, which costs no registers meanwhile
      const Vector share = held[v * BLOCK], gradients = held[ROW_VECTORS + v * BLOCK];
      float value[WIDTH];
#pragma unroll
      for (int k = 0; k < WIDTH; ++k) {
        const float g = gradients[k] * weight[v][k], normal = (share[k] - mean) * rstd;
        value[k] = rstd * (g - (all.g + normal * all.gn) * inverse);
      }
      store_vector(dx + static_cast<long long>(r) * columns, (v * BLOCK + threadIdx.x) * WIDTH, columns, value);
    }
    keep_packed(weight);
    mean = next_mean, rstd = next_rstd;
    stage = stage == STAGES - 1 ? 0 : stage + 1;
  }
  store_sums(sums, parts, columns);
}
