// Launch: reference<<<ceil(rows * outputs / 256), 256>>>(x, w, bias, out, rows, inputs, outputs)
__global__ void reference(const float* x, const float* w, const float* bias, double* out, int rows, int inputs,
                          int outputs) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rows * outputs) return;
  const int row = i / outputs, output = i % outputs;
  double sum = bias[output];
  for (int k = 0; k < inputs; ++k) sum += double(x[row * inputs + k]) * w[output * inputs + k];
  out[i] = sum;
}
