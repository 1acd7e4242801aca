__global__ void k(float* x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] = 1; }
int main() {
  float* x;
  long long least = -9223372036854775807LL - 1, q = least / -1, r = least % -1;
  int n = 1 << 31, m = 1 << 64, o = 1 << -1, z = 5 / 0, y = 5 % 0, w = 2147483647 + 1;
  unsigned u = -1; unsigned long long v = 18446744073709551615ULL * 18446744073709551615ULL & 1;
  float f = 1e38f * 1e38f; double d = 1e308 * 10, e = 1e4000L, g = 0.0 / 0.0; int c = 'a', s = sizeof "abc";
  cudaMalloc(&x, (size_t)1e300); cudaMemset(x, 1 << 40, -1); dim3 block(1e30, 0, -1); char h = 300;
  k<<<(n + 255) / 256, 256>>>(x, n);
}
