// Launch: reference<<<ceil(length * channels / 128), 128>>>(x, weights, y, length, channels, taps)
__global__ void reference(const float* x, const float* weights, double* y, int length, int channels, int taps) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= length * channels) return;
  const int t = i / channels, c = i % channels;
  double sum = 0;
  for (int j = 0; j < taps; ++j) {
    const int time = t + j - taps / 2;
    if (time >= 0 && time < length) sum += static_cast<double>(weights[j * channels + c]) * x[time * channels + c];
  }
  y[i] = sum;
}
