// Names that look like vector types, and factors, one after another.
__global__ void k(float* p, int n) {
  int v4 = threadIdx.x;
  float* q = v4*v4*v4*v4*v4*v4*v4*v4*v4*v4*v4*v4*v4*v4*v4*v4*v4*v4*v4*v4*v4*v4*v4*v4*v4*v4*v4*v4*v4*v4*v4*v4*v4*v4 + p;
  int i = blockIdx.x * 1000000000 * 1000000000 * 1000000000 * 1000000000 + threadIdx.x;
  q[i] = 1;
}
