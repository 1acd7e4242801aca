template <typename T>
__global__ void scale(const T* __restrict__ x, T* __restrict__ y, T factor, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) y[i] = factor * x[i];
}
int main() { scale<double><<<64, 128>>>(nullptr, nullptr, 2.0, 1); }
