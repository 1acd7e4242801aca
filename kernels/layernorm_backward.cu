// The backward pass of LayerNorm. With n = (x - mean) · rstd, the normal form of a row, and g = dy · gamma:
//   dx = rstd · (g - mean over the row of g - n · mean over the row of g · n)
//   dgamma[c] = sum over all rows of dy · n          dbeta[c] = sum over all rows of dy
// dx sums along rows, dgamma and dbeta along columns. `x`, `dy`, `dx` have `rows` rows of `columns` elements.
//
// BLOCK    threads per CTA                  VECTORS  vectors of 16 bytes of a row that a thread holds
// SLABS    groups of rows whose column sums are kept apart until the end
// DTYPE    0: fp32, 1: bf16 in memory
#include "rows.cuh"

struct Sums {
  float g, gn;  // of g and of g · n
};
/// Of all threads of the CTA, with one barrier for both. `of_warp` has 32 places, which nobody else uses.
__device__ Sums reduce_both(Sums mine, Sums* of_warp) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  mine = {reduce_lanes<Add>(mine.g), reduce_lanes<Add>(mine.gn)};
  if (lane == 0) of_warp[warp] = mine;
  barrier();
  const Sums other = lane < BLOCK / 32 ? of_warp[lane] : Sums{};
  return {reduce_lanes<Add>(other.g), reduce_lanes<Add>(other.gn)};
}

// ---- dx: a CTA for each row goes over x and dy twice, one element at a time.

// Elements first, first + step, … of a row.
__device__ Sums sum_pass(const Element* x, const Element* dy, const Element* gamma, int first, int step, int columns,
                         float mean, float rstd) {
  Sums sums{};
  for (int c = first; c < columns; c += step) {
    const float g = static_cast<float>(dy[c]) * static_cast<float>(gamma[c]);
    sums.g += g;
    sums.gn += g * (static_cast<float>(x[c]) - mean) * rstd;
  }
  return sums;
}
__device__ void write_pass(const Element* x, const Element* dy, const Element* gamma, Element* dx, int first, int step,
                           int columns, float mean, float rstd, Sums all) {
  for (int c = first; c < columns; c += step) {
    const float g = static_cast<float>(dy[c]) * static_cast<float>(gamma[c]);
    const float n = (static_cast<float>(x[c]) - mean) * rstd;
    dx[c] = static_cast<Element>(rstd * (g - (all.g + n * all.gn) / columns));
  }
}

extern "C" __global__ void dx_per_element(const Element* x, const Element* dy, const Element* gamma, const float* means,
                                          const float* rstds, Element* dx, int columns) {
  __shared__ Sums of_warp[32];
  const long long row = static_cast<long long>(blockIdx.x) * columns;
  const float mean = means[blockIdx.x], rstd = rstds[blockIdx.x];
  const Sums mine = sum_pass(x + row, dy + row, gamma, threadIdx.x, BLOCK, columns, mean, rstd);
  write_pass(x + row, dy + row, gamma, dx + row, threadIdx.x, BLOCK, columns, mean, rstd, reduce_both(mine, of_warp));
}

// ---- dgamma and dbeta: a thread for each column walks down all rows. With few columns most of the GPU is idle.

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
__device__ void load_piece(Vector (&held)[VECTORS], const Element* row, int first, int columns) {
#pragma unroll
  for (int v = 0; v < VECTORS; ++v) held[v] = load_vector(row, first + v * STRIDE, columns);
}
template <int STRIDE>
__device__ Sums sums_of(const Vector (&held)[VECTORS], const Vector (&gradient)[VECTORS], const Element* gamma,
                        int first, int columns, float mean, float rstd) {
  Sums sums{};
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
__device__ void write_piece(const Vector (&held)[VECTORS], const Vector (&gradient)[VECTORS], const Element* gamma,
                            Element* dx, int first, int columns, float mean, float rstd, Sums means) {
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
  __shared__ Sums of_warp[32];
  const long long row = static_cast<long long>(blockIdx.x) * columns;
  const float mean = means[blockIdx.x], rstd = rstds[blockIdx.x];
  x += row, dy += row, dx += row;
  if (columns % WIDTH != 0) {  // rows start between vectors
    const Sums mine = sum_pass(x, dy, gamma, threadIdx.x, BLOCK, columns, mean, rstd);
    return write_pass(x, dy, gamma, dx, threadIdx.x, BLOCK, columns, mean, rstd, reduce_both(mine, of_warp));
  }
  constexpr int STRIDE = BLOCK * WIDTH, PIECE = VECTORS * STRIDE;
  const int mine = threadIdx.x * WIDTH, last = (columns - 1) / PIECE * PIECE;
  Vector held[VECTORS], gradient[VECTORS];
  Sums sums{};
  for (int piece = 0; piece <= last; piece += PIECE) {
    load_piece<STRIDE>(held, x, piece + mine, columns);
    load_piece<STRIDE>(gradient, dy, piece + mine, columns);
    const Sums more = sums_of<STRIDE>(held, gradient, gamma, piece + mine, columns, mean, rstd);
    sums = {sums.g + more.g, sums.gn + more.gn};
  }
  sums = reduce_both(sums, of_warp);
  for (int piece = last; piece >= 0; piece -= PIECE) {
    if (piece != last) {
      load_piece<STRIDE>(held, x, piece + mine, columns);
      load_piece<STRIDE>(gradient, dy, piece + mine, columns);
    }
    write_piece<STRIDE>(held, gradient, gamma, dx, piece + mine, columns, mean, rstd,
                        {sums.g / columns, sums.gn / columns});
  }
}

// ---- dgamma and dbeta in slabs: the rows are cut into SLABS groups, and a CTA walks down 32 columns of one slab with
// BLOCK / 32 rows at a time. Then the slabs' sums are added, always in the same order.
//
// parts: the sums for dgamma, SLABS rows of `columns`, then those for dbeta.
__device__ void sum_warps(float (&mine)[2]) {  // over the CTA's warps, lane by lane; the result is in warp 0
  __shared__ float of_warp[BLOCK / 32][2][32];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int i = 0; i < 2; ++i) of_warp[warp][i][lane] = mine[i];
  barrier();
  for (int other = 1; other < BLOCK / 32 && warp == 0; ++other)
    for (int i = 0; i < 2; ++i) mine[i] += of_warp[other][i][lane];
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
  sum_warps(sums);
  if (threadIdx.x < 32 && c < columns)
    for (int i = 0; i < 2; ++i) parts[(static_cast<long long>(i) * SLABS + slab) * columns + c] = sums[i];
}

// slabs: how many rows `parts` has for each of the two.
extern "C" __global__ void add_slabs(const float* parts, float* dgamma, float* dbeta, int slabs, int columns) {
  const int c = blockIdx.x * 32 + threadIdx.x % 32;
  float sums[2] = {};
  for (int slab = threadIdx.x / 32; slab < slabs; slab += BLOCK / 32)
    for (int i = 0; i < 2 && c < columns; ++i)
      sums[i] += parts[(static_cast<long long>(i) * slabs + slab) * columns + c];
  sum_warps(sums);
  if (threadIdx.x < 32 && c < columns) dgamma[c] = sums[0], dbeta[c] = sums[1];
}

// ---- Fused: a CTA walks over every gridDim.x-th row. While x and dy of a row are in its registers for dx, it adds
// them to its own sums of the columns. x and dy are read once for everything; add_slabs does the rest.

// What a vector of x and of dy adds to the sums of its columns.
__device__ void add_vector(float* scales, float* shifts, int at, int columns, const Vector& held,
                           const Vector& gradient, float mean, float rstd) {
  if (at >= columns) return;
#pragma unroll
  for (int k = 0; k < WIDTH; k += 4) {
    float4 scale = *reinterpret_cast<float4*>(scales + at + k), shift = *reinterpret_cast<float4*>(shifts + at + k);
    scale.x += gradient[k] * (held[k] - mean) * rstd;
    scale.y += gradient[k + 1] * (held[k + 1] - mean) * rstd;
    scale.z += gradient[k + 2] * (held[k + 2] - mean) * rstd;
    scale.w += gradient[k + 3] * (held[k + 3] - mean) * rstd;
    shift.x += gradient[k];
    shift.y += gradient[k + 1];
    shift.z += gradient[k + 2];
    shift.w += gradient[k + 3];
    *reinterpret_cast<float4*>(scales + at + k) = scale;
    *reinterpret_cast<float4*>(shifts + at + k) = shift;
  }
}

// scales, shifts: the CTA's sums of the columns, for dgamma and dbeta.
__device__ void walk_rows(const Element* x, const Element* dy, const Element* gamma, const float* means,
                          const float* rstds, Element* dx, float* scales, float* shifts, int rows, int columns) {
  __shared__ Sums of_warp[2][32];
  constexpr int STRIDE = BLOCK * WIDTH, PIECE = VECTORS * STRIDE;
  const int mine = threadIdx.x * WIDTH, last = (columns - 1) / PIECE * PIECE;
  const bool aligned = columns % WIDTH == 0;  // else rows start between vectors, and go element by element
  const int stride = aligned ? STRIDE : BLOCK, width = aligned ? WIDTH : 1;
  // A thread meets the same columns in every row, so that its sums need no barrier.
  for (int c = threadIdx.x * width; c < columns; c += stride)
    for (int k = 0; k < width; ++k) scales[c + k] = shifts[c + k] = 0;
  int turn = 0;
  for (int r = blockIdx.x; r < rows; r += gridDim.x, turn ^= 1) {
    const long long row = static_cast<long long>(r) * columns;
    const float mean = means[r], rstd = rstds[r];
    if (!aligned) {
      const Sums sums = sum_pass(x + row, dy + row, gamma, threadIdx.x, BLOCK, columns, mean, rstd);
      for (int c = threadIdx.x; c < columns; c += BLOCK) {
        const float gradient = dy[row + c];
        scales[c] += gradient * (static_cast<float>(x[row + c]) - mean) * rstd;
        shifts[c] += gradient;
      }
      write_pass(x + row, dy + row, gamma, dx + row, threadIdx.x, BLOCK, columns, mean, rstd,
                 reduce_both(sums, of_warp[turn]));
      continue;
    }
    Vector held[VECTORS], gradient[VECTORS];
    Sums sums{};
    for (int piece = 0; piece <= last; piece += PIECE) {
      load_piece<STRIDE>(held, x + row, piece + mine, columns);
      load_piece<STRIDE>(gradient, dy + row, piece + mine, columns);
      const Sums more = sums_of<STRIDE>(held, gradient, gamma, piece + mine, columns, mean, rstd);
      sums = {sums.g + more.g, sums.gn + more.gn};
#pragma unroll
      for (int v = 0; v < VECTORS; ++v)
        add_vector(scales, shifts, piece + mine + v * STRIDE, columns, held[v], gradient[v], mean, rstd);
    }
    sums = reduce_both(sums, of_warp[turn]);
    for (int piece = last; piece >= 0; piece -= PIECE) {
      if (piece != last) {
        load_piece<STRIDE>(held, x + row, piece + mine, columns);
        load_piece<STRIDE>(gradient, dy + row, piece + mine, columns);
      }
      write_piece<STRIDE>(held, gradient, gamma, dx + row, piece + mine, columns, mean, rstd,
                          {sums.g / columns, sums.gn / columns});
    }
  }
}

// The sums are in shared memory: 8 bytes for each column.
extern "C" __global__ void __launch_bounds__(BLOCK)
    fused(const Element* x, const Element* dy, const Element* gamma, const float* means, const float* rstds,
          Element* dx, float* parts, int rows, int columns) {
  extern __shared__ __align__(16) float sums[];
  const int pitch = (columns + 3) / 4 * 4;  // so that both halves start on 16 bytes
  walk_rows(x, dy, gamma, means, rstds, dx, sums, sums + pitch, rows, columns);
  barrier();
  for (int c = threadIdx.x; c < columns; c += BLOCK) {
    parts[static_cast<long long>(blockIdx.x) * columns + c] = sums[c];
    parts[(static_cast<long long>(gridDim.x) + blockIdx.x) * columns + c] = sums[pitch + c];
  }
}
// Rows that are too long for that: the sums are in the CTA's own rows of `parts`, from where the L2 serves them.
extern "C" __global__ void __launch_bounds__(BLOCK)
    fused_wide(const Element* x, const Element* dy, const Element* gamma, const float* means, const float* rstds,
               Element* dx, float* parts, int rows, int columns) {
  walk_rows(x, dy, gamma, means, rstds, dx, parts + static_cast<long long>(blockIdx.x) * columns,
            parts + (static_cast<long long>(gridDim.x) + blockIdx.x) * columns, rows, columns);
}
