// y[t][c] = sum over j of weights[j][c] · x[t + j − taps / 2][c]: x and y are length × channels.
// Launch: conv1d<<<(ceil(channels / 32), ceil(length / STRIP)), 32>>>(x, weights, y, length, channels, taps)
constexpr int STRIP = 16;     // times that one thread computes
constexpr int MOST_TAPS = 7;  // taps is at most this

__global__ void conv1d(const float* x, const float* weights, float* y, int length, int channels, int taps) {
  const int channel = blockIdx.x * 32 + threadIdx.x, first = blockIdx.y * STRIP;
  // TODO: for each time of the strip, add up the taps. What does the next time share with this one?
}
