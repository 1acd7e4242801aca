// Launch: reference<<<1, 1>>>(prediction, target, partial, tickets, loss, n)
__global__ void reference(const float* prediction, const float* target, float* partial, unsigned* tickets, double* loss,
                          int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    const double error = double(prediction[i]) - target[i];
    sum += error * error;
  }
  loss[0] = sum / n;
}
