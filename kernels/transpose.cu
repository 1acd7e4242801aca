// Transpose: out[column][row] = in[row][column]. `in` has `rows` rows of `columns` floats, `out` the reverse.
// Eight rungs move the same square tiles. They differ in how lanes are assigned to elements, in how the tile is stored
// in between, and in how many accesses are in flight.
//
// TILE   edge of the tile that a CTA moves          ROWS     tile rows that a thread handles
// PAD    unused words at the end of a tile row      SWIZZLE  bits of the row that are XORed into the column
// VEC    floats of one global access                GROUP    rows of tiles in a group of the tile order
//
// `r` and `c` are a row and a column of the tile, `row` and `column` those of `in`.
#include "elements.cuh"
#include "tile_order.cuh"

constexpr int LINE = TILE < 32 ? TILE : 32;  // floats of a tile row that lanes access together: 128 bytes, one line
constexpr int STEP = TILE / ROWS;            // tile rows that a CTA accesses at once, by STEP × LINE threads

// The lanes of a warp follow a row of `in`: they read 32 neighbours. In `out` they are a whole row apart.
extern "C" __global__ void reads_coalesced(const float* in, float* out, int rows, int columns) {
  for (int j = 0; j < TILE; j += STEP)
    for (int i = 0; i < TILE; i += LINE) {
      int r = j + threadIdx.y, c = i + threadIdx.x;
      int row = blockIdx.y * TILE + r, column = blockIdx.x * TILE + c;
      if (row < rows && column < columns) out[column * rows + row] = in[row * columns + column];
    }
}

// The lanes of a warp follow a row of `out`: they write 32 neighbours. In `in` they are a whole row apart.
extern "C" __global__ void writes_coalesced(const float* in, float* out, int rows, int columns) {
  for (int j = 0; j < TILE; j += STEP)
    for (int i = 0; i < TILE; i += LINE) {
      int r = i + threadIdx.x, c = j + threadIdx.y;
      int row = blockIdx.y * TILE + r, column = blockIdx.x * TILE + c;
      if (row < rows && column < columns) out[column * rows + row] = in[row * columns + column];
    }
}

// The tile is transposed in shared memory, so that lanes follow rows on both sides. The CTA writes it along its rows
// and reads it down its columns. The words of a column are TILE words apart: all in the same bank.
extern "C" __global__ void shared_tile(const float* in, float* out, int rows, int columns) {
  __shared__ float tile[TILE][TILE];  // (r, c)
  for (int j = 0; j < TILE; j += STEP)
    for (int i = 0; i < TILE; i += LINE) {
      int r = j + threadIdx.y, c = i + threadIdx.x;
      int row = blockIdx.y * TILE + r, column = blockIdx.x * TILE + c;
      if (row < rows && column < columns) tile[r][c] = in[row * columns + column];
    }
  __syncthreads();
  for (int j = 0; j < TILE; j += STEP)
    for (int i = 0; i < TILE; i += LINE) {
      int r = i + threadIdx.x, c = j + threadIdx.y;
      int row = blockIdx.y * TILE + r, column = blockIdx.x * TILE + c;
      if (row < rows && column < columns) out[column * rows + row] = tile[r][c];
    }
}

// The same with rows that are PAD words longer. The words of a column are then TILE + PAD words apart. If that is an
// odd number, 32 of them are in 32 different banks.
extern "C" __global__ void padded_tile(const float* in, float* out, int rows, int columns) {
  __shared__ float tile[TILE][TILE + PAD];  // (r, c)
  for (int j = 0; j < TILE; j += STEP)
    for (int i = 0; i < TILE; i += LINE) {
      int r = j + threadIdx.y, c = i + threadIdx.x;
      int row = blockIdx.y * TILE + r, column = blockIdx.x * TILE + c;
      if (row < rows && column < columns) tile[r][c] = in[row * columns + column];
    }
  __syncthreads();
  for (int j = 0; j < TILE; j += STEP)
    for (int i = 0; i < TILE; i += LINE) {
      int r = i + threadIdx.x, c = j + threadIdx.y;
      int row = blockIdx.y * TILE + r, column = blockIdx.x * TILE + c;
      if (row < rows && column < columns) out[column * rows + row] = tile[r][c];
    }
}

// The column at which row r of the tile stores its element c. Down a column, the bank is different in every row.
__device__ int swizzled(int r, int c) { return c ^ (r & ((1 << SWIZZLE) - 1)); }

// The padded tile with an XOR in place of the padding, which costs no shared memory.
extern "C" __global__ void swizzled_tile(const float* in, float* out, int rows, int columns) {
  __shared__ float tile[TILE][TILE];  // (r, c)
  for (int j = 0; j < TILE; j += STEP)
    for (int i = 0; i < TILE; i += LINE) {
      int r = j + threadIdx.y, c = i + threadIdx.x;
      int row = blockIdx.y * TILE + r, column = blockIdx.x * TILE + c;
      if (row < rows && column < columns) tile[r][swizzled(r, c)] = in[row * columns + column];
    }
  __syncthreads();
  for (int j = 0; j < TILE; j += STEP)
    for (int i = 0; i < TILE; i += LINE) {
      int r = i + threadIdx.x, c = j + threadIdx.y;
      int row = blockIdx.y * TILE + r, column = blockIdx.x * TILE + c;
      if (row < rows && column < columns) out[column * rows + row] = tile[r][swizzled(r, c)];
    }
}

// A thread issues all of its loads before it stores the first result to the tile, so that all are in flight at once.
extern "C" __global__ void batched_loads(const float* in, float* out, int rows, int columns) {
  __shared__ float tile[TILE][TILE];     // (r, c)
  float loaded[ROWS][TILE / LINE] = {};  // in registers
  for (int j = 0; j < TILE; j += STEP)
    for (int i = 0; i < TILE; i += LINE) {
      int r = j + threadIdx.y, c = i + threadIdx.x;
      int row = blockIdx.y * TILE + r, column = blockIdx.x * TILE + c;
      if (row < rows && column < columns) loaded[j / STEP][i / LINE] = in[row * columns + column];
    }
  for (int j = 0; j < TILE; j += STEP)
    for (int i = 0; i < TILE; i += LINE) {
      int r = j + threadIdx.y, c = i + threadIdx.x;
      tile[r][swizzled(r, c)] = loaded[j / STEP][i / LINE];
    }
  __syncthreads();
  for (int j = 0; j < TILE; j += STEP)
    for (int i = 0; i < TILE; i += LINE) {
      int r = i + threadIdx.x, c = j + threadIdx.y;
      int row = blockIdx.y * TILE + r, column = blockIdx.x * TILE + c;
      if (row < rows && column < columns) out[column * rows + row] = tile[r][swizzled(r, c)];
    }
}

// Moves the tile that begins at row `top` and column `left` of `in`. WHOLE: all of it is inside, and every pack is
// aligned. Otherwise each float has a mask of its own.
template <bool WHOLE>
__device__ void move_tile(const float* in, float* out, int rows, int columns, int top, int left,
                          float (&tile)[TILE][TILE]) {
  Pack loaded[ROWS][TILE / LINE] = {};  // in registers
  for (int j = 0; j < TILE; j += STEP)
    for (int i = 0; i < TILE; i += LINE) {
      int r = j + threadIdx.y, c = i + threadIdx.x * VEC;
      int row = top + r, column = left + c;
      Pack& pack = loaded[j / STEP][i / LINE];
      if (WHOLE) pack = load_pack(in + row * columns + column);
      for (int v = 0; !WHOLE && v < VEC; ++v)
        if (row < rows && column + v < columns) pack.value[v] = in[row * columns + column + v];
    }
  for (int j = 0; j < TILE; j += STEP)
    for (int i = 0; i < TILE; i += LINE) {
      int r = j + threadIdx.y, c = i + threadIdx.x * VEC;
      for (int v = 0; v < VEC; ++v) tile[r][swizzled(r, c + v)] = loaded[j / STEP][i / LINE].value[v];
    }
  __syncthreads();
  for (int j = 0; j < TILE; j += STEP)
    for (int i = 0; i < TILE; i += LINE) {
      int r = i + threadIdx.x * VEC, c = j + threadIdx.y;
      int row = top + r, column = left + c;
      Pack pack;
      for (int v = 0; v < VEC; ++v) pack.value[v] = tile[r + v][swizzled(r + v, c)];
      if (WHOLE) store_pack(out + column * rows + row, pack);
      for (int v = 0; !WHOLE && v < VEC; ++v)
        if (row + v < rows && column < columns) out[column * rows + row + v] = pack.value[v];
    }
}

// Most tiles are whole: their floats need no masks, and so VEC of them may travel together.
extern "C" __global__ void whole_tiles(const float* in, float* out, int rows, int columns) {
  __shared__ float tile[TILE][TILE];  // (r, c)
  int top = blockIdx.y * TILE, left = blockIdx.x * TILE;
  bool whole = top + TILE <= rows && left + TILE <= columns && rows % VEC == 0 && columns % VEC == 0;
  if (whole)
    move_tile<true>(in, out, rows, columns, top, left, tile);
  else
    move_tile<false>(in, out, rows, columns, top, left, tile);
}

// CTAs take the tiles in groups of GROUP tile rows, column by column. Those that run at the same time then have
// neighbouring lines to read, and also neighbouring lines to write.
extern "C" __global__ void grouped_tiles(const float* in, float* out, int rows, int columns) {
  __shared__ float tile[TILE][TILE];  // (r, c)
  int2 tile_index = grouped_tile(blockIdx.y * gridDim.x + blockIdx.x, gridDim.y, gridDim.x, GROUP);
  int top = tile_index.x * TILE, left = tile_index.y * TILE;
  bool whole = top + TILE <= rows && left + TILE <= columns && rows % VEC == 0 && columns % VEC == 0;
  if (whole)
    move_tile<true>(in, out, rows, columns, top, left, tile);
  else
    move_tile<false>(in, out, rows, columns, top, left, tile);
}
