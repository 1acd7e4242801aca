// Launch: reference<<<1, 1>>>(x, out, partials, arrived, n)
__global__ void reference(const float* x, double* out, float* partials, unsigned* arrived, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += x[i];
  out[0] = sum;
}
