// Correct and coalesced, but each output reads all of its taps from global memory.
// Launch: conv1d<<<(ceil(channels / 32), ceil(length / 8)), (32, 8)>>>(x, weights, y, length, channels, taps)
__global__ void conv1d(const float* x, const float* weights, float* y, int length, int channels, int taps) {
  const int channel = blockIdx.x * 32 + threadIdx.x, t = blockIdx.y * 8 + threadIdx.y;
  if (channel >= channels || t >= length) return;
  float sum = 0;
  for (int j = 0; j < taps; ++j) {
    const int time = t + j - taps / 2;
    if (time >= 0 && time < length) sum += weights[j * channels + channel] * x[time * channels + channel];
  }
  y[t * channels + channel] = sum;
}
