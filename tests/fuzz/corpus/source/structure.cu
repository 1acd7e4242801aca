struct Params { const float* x; float* y; int n; float factor; };
__global__ void with_struct(Params p) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < p.n) p.y[i] = p.factor * p.x[i];
}
