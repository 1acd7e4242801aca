// One element per thread. The integers are exact, and the comparison and the scaling are in double precision.
//
// Launch: reference<<<ceil(n / 256), 256>>>(x, out, p, seed, n)

__global__ void reference(const float* x, double* out, float p, unsigned seed, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    unsigned h = (unsigned)i * 0x7c9d2f35u + seed;
    h = h ^ (h >> 15);
    h = h * 0xd3a1946bu;
    h = h ^ (h >> 13);
    h = h * 0x2f8be4c7u;
    h = h ^ (h >> 16);
    double u = (h >> 8) / 16777216.0;
    out[i] = u >= (double)p ? x[i] / (1 - (double)p) : 0;
  }
}
