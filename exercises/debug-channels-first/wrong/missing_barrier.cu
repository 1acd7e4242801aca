// Threads read elements of the tile that other warps may not have written yet.
// Converts images from channels-last to channels-first: out[image][channel][pixel] = in[image][pixel][channel].
// A block transposes a tile of TILE pixels × TILE channels of one image through shared memory, so that both the reads
// and the writes of a warp are coalesced. The extra column of the tile avoids bank conflicts.
#define TILE 32
#define LINES 8  // of the tile, moved by a block at a time

// Launch: to_planes<<<(ceil(channels / TILE), ceil(pixels / TILE), images), (TILE, LINES)>>>(in, out, pixels, channels)
__global__ void to_planes(const float* in, float* out, int pixels, int channels) {
  __shared__ float tile[TILE][TILE + 1];  // (pixel, channel)
  const int first_channel = blockIdx.x * TILE, first_pixel = blockIdx.y * TILE;
  in += blockIdx.z * pixels * channels;
  out += blockIdx.z * pixels * channels;

  for (int line = threadIdx.y; line < TILE; line += LINES) {
    const int pixel = first_pixel + line, channel = first_channel + threadIdx.x;
    if (pixel < pixels && channel < channels) tile[line][threadIdx.x] = in[pixel * channels + channel];
  }
  for (int line = threadIdx.y; line < TILE; line += LINES) {
    const int channel = first_channel + line, pixel = first_pixel + threadIdx.x;
    if (pixel < pixels && channel < channels) out[channel * pixels + pixel] = tile[threadIdx.x][line];
  }
}
