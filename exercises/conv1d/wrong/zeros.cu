// Writes zeros everywhere.
// Launch: conv1d<<<ceil(length * channels / 256), 256>>>(x, weights, y, length, channels, taps)
__global__ void conv1d(const float* x, const float* weights, float* y, int length, int channels, int taps) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < length * channels) y[i] = 0;
}
