// Launch: reference<<<(ceil(pixels * channels / 256), images), 256>>>(in, out, pixels, channels)
__global__ void reference(const float* in, double* out, int pixels, int channels) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= pixels * channels) return;
  const int channel = i / pixels, pixel = i % pixels;
  const int image = blockIdx.y * pixels * channels;
  out[image + i] = in[image + pixel * channels + channel];
}
