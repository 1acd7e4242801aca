// Transpose: out[column][row] = in[row][column]. `in` has `rows` rows of `columns` floats, `out` the reverse.
// Five rungs move the same square tiles. What changes is which lanes go where, and what lies in between.
//
// TILE   edge of the tile that a CTA moves          ROWS     tile rows that a thread goes through
// PAD    unused words at the end of a tile row      SWIZZLE  bits of the row that are XORed into the column
// VEC    floats of one global access                GROUP    tile rows that CTAs walk together

constexpr int LINE = TILE < 32 ? TILE : 32;  // floats of a tile row that lanes take together: 128 bytes, one line
constexpr int STEP = TILE / ROWS;            // tile rows that a CTA takes at once; it has STEP × LINE / VEC threads

// Lanes walk along a row of `in`: 32 neighbours are read. In `out` they are a whole row apart.
extern "C" __global__ void reads_coalesced(const float* in, float* out, int rows, int columns) {
  for (int j = 0; j < TILE; j += STEP)
    for (int i = 0; i < TILE; i += LINE) {
      int row = blockIdx.y * TILE + j + threadIdx.y;
      int column = blockIdx.x * TILE + i + threadIdx.x;
      if (row < rows && column < columns) out[column * rows + row] = in[row * columns + column];
    }
}

// Lanes walk along a row of `out`: 32 neighbours are written. In `in` they are a whole row apart.
extern "C" __global__ void writes_coalesced(const float* in, float* out, int rows, int columns) {
  for (int j = 0; j < TILE; j += STEP)
    for (int i = 0; i < TILE; i += LINE) {
      int row = blockIdx.y * TILE + i + threadIdx.x;
      int column = blockIdx.x * TILE + j + threadIdx.y;
      if (row < rows && column < columns) out[column * rows + row] = in[row * columns + column];
    }
}

// The tile is turned in shared memory, so that lanes walk along rows on both sides. It is read down its columns:
// TILE words apart, which is the same bank each time.
extern "C" __global__ void shared_tile(const float* in, float* out, int rows, int columns) {
  __shared__ float tile[TILE][TILE];
  for (int j = 0; j < TILE; j += STEP)
    for (int i = 0; i < TILE; i += LINE) {
      int row = blockIdx.y * TILE + j + threadIdx.y;
      int column = blockIdx.x * TILE + i + threadIdx.x;
      if (row < rows && column < columns) tile[j + threadIdx.y][i + threadIdx.x] = in[row * columns + column];
    }
  __syncthreads();
  for (int j = 0; j < TILE; j += STEP)
    for (int i = 0; i < TILE; i += LINE) {
      int row = blockIdx.y * TILE + i + threadIdx.x;
      int column = blockIdx.x * TILE + j + threadIdx.y;
      if (row < rows && column < columns) out[column * rows + row] = tile[i + threadIdx.x][j + threadIdx.y];
    }
}

// The same with rows that are PAD words longer. A column is then TILE + PAD words from row to row, and for an odd
// number of words 32 rows are 32 banks.
extern "C" __global__ void padded_tile(const float* in, float* out, int rows, int columns) {
  __shared__ float tile[TILE][TILE + PAD];
  for (int j = 0; j < TILE; j += STEP)
    for (int i = 0; i < TILE; i += LINE) {
      int row = blockIdx.y * TILE + j + threadIdx.y;
      int column = blockIdx.x * TILE + i + threadIdx.x;
      if (row < rows && column < columns) tile[j + threadIdx.y][i + threadIdx.x] = in[row * columns + column];
    }
  __syncthreads();
  for (int j = 0; j < TILE; j += STEP)
    for (int i = 0; i < TILE; i += LINE) {
      int row = blockIdx.y * TILE + i + threadIdx.x;
      int column = blockIdx.x * TILE + j + threadIdx.y;
      if (row < rows && column < columns) out[column * rows + row] = tile[i + threadIdx.x][j + threadIdx.y];
    }
}

// VEC neighbouring floats that travel in one global access: 16 bytes at VEC 4.
struct alignas(4 * VEC) Pack {
  float value[VEC];
};
__device__ Pack load_pack(const float* at) { return *reinterpret_cast<const Pack*>(at); }
__device__ void store_pack(float* at, Pack pack) { *reinterpret_cast<Pack*>(at) = pack; }

// Column c of tile row r lies at c XOR r. Going down a column, that is another bank in every row.
__device__ int swizzled(int r, int c) { return r * TILE + (c ^ (r & ((1 << SWIZZLE) - 1))); }

// Whole: nothing of the tile lies outside, and every pack is aligned. Only then do masks and single floats go.
template <bool Whole>
__device__ void move_tile(const float* in, float* out, int rows, int columns, int top, int left, float* tile) {
  Pack held[ROWS * TILE / LINE] = {};  // every load is under way before the first one is waited for
  int n = 0;
  for (int j = 0; j < TILE; j += STEP)
    for (int i = 0; i < TILE; i += LINE, ++n) {
      int row = top + j + threadIdx.y, column = left + i + threadIdx.x * VEC;
      if (Whole) held[n] = load_pack(in + row * columns + column);
      for (int k = 0; !Whole && k < VEC; ++k)
        if (row < rows && column + k < columns) held[n].value[k] = in[row * columns + column + k];
    }
  n = 0;
  for (int j = 0; j < TILE; j += STEP)
    for (int i = 0; i < TILE; i += LINE, ++n)
      for (int k = 0; k < VEC; ++k) tile[swizzled(j + threadIdx.y, i + threadIdx.x * VEC + k)] = held[n].value[k];
  __syncthreads();
  for (int j = 0; j < TILE; j += STEP)
    for (int i = 0; i < TILE; i += LINE) {
      int row = top + i + threadIdx.x * VEC, column = left + j + threadIdx.y;
      Pack pack;
      for (int k = 0; k < VEC; ++k) pack.value[k] = tile[swizzled(i + threadIdx.x * VEC + k, j + threadIdx.y)];
      if (Whole) store_pack(out + column * rows + row, pack);
      for (int k = 0; !Whole && k < VEC; ++k)
        if (column < columns && row + k < rows) out[column * rows + row + k] = pack.value[k];
    }
}

// No word is spent on padding: an XOR spreads the columns over the banks. And memory is kept busy: VEC floats per
// access, several accesses per thread, and CTAs in an order in which those that run together have neighbouring lines to
// read and also to write: GROUP rows of tiles are walked column by column.
extern "C" __global__ void swizzled_tile(const float* in, float* out, int rows, int columns) {
  __shared__ float tile[TILE * TILE];
  int cta = blockIdx.y * gridDim.x + blockIdx.x;
  int first = cta / (GROUP * gridDim.x) * GROUP;  // the group's first row of tiles
  int height = min(GROUP, gridDim.y - first);
  int inside = cta - first * gridDim.x;
  int top = (first + inside % height) * TILE, left = inside / height * TILE;
  bool whole = top + TILE <= rows && left + TILE <= columns && rows % VEC == 0 && columns % VEC == 0;
  if (whole)
    move_tile<true>(in, out, rows, columns, top, left, tile);
  else
    move_tile<false>(in, out, rows, columns, top, left, tile);
}
