// A matrix of rows x columns is transposed: as it is, and through a tile in shared memory.
#define TILE 32

template <typename T>
__global__ void naive(const T* in, T* out, int rows, int columns) {
  int column = blockIdx.x * TILE + threadIdx.x, row = blockIdx.y * TILE + threadIdx.y;
  if (row < rows && column < columns) out[column * rows + row] = in[row * columns + column];
}

template <typename T>
__global__ void tiled(const T* in, T* out, int rows, int columns) {
  __shared__ T tile[TILE][TILE + 1];
  int column = blockIdx.x * TILE + threadIdx.x, row = blockIdx.y * TILE + threadIdx.y;
  if (row < rows && column < columns) tile[threadIdx.y][threadIdx.x] = in[row * columns + column];
#ifndef NO_BARRIER
  __syncthreads();
#endif
  column = blockIdx.y * TILE + threadIdx.x, row = blockIdx.x * TILE + threadIdx.y;
  if (row < columns && column < rows) out[row * rows + column] = tile[threadIdx.x][threadIdx.y];
}
