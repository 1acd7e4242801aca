// A tile of x in shared memory, without a barrier between reading it and filling it again.
// Launch: conv1d<<<(ceil(channels / 32), ceil(length / 64)), (32, 8)>>>(x, weights, y, length, channels, taps)
__global__ void conv1d(const float* x, const float* weights, float* y, int length, int channels, int taps) {
  __shared__ float tile[32 + 6][32];  // (time, channel), from time first − taps / 2 on
  const int channel = blockIdx.x * 32 + threadIdx.x;
  for (int part = 0; part < 2; ++part) {
    const int first = blockIdx.y * 64 + part * 32;
    for (int i = threadIdx.y; i < 32 + 6; i += 8) {
      const int time = first + i - taps / 2;
      tile[i][threadIdx.x] = time >= 0 && time < length && channel < channels ? x[time * channels + channel] : 0.0f;
    }
    __syncthreads();
    for (int i = threadIdx.y; i < 32; i += 8) {
      if (channel >= channels || first + i >= length) continue;
      float sum = 0;
      for (int j = 0; j < taps; ++j) sum += weights[j * channels + channel] * tile[i + j][threadIdx.x];
      y[(first + i) * channels + channel] = sum;
    }
  }
}
