// Launch: reference<<<8, 32>>>(keys, counts, n)
__global__ void reference(const unsigned char* keys, double* counts, int n) {
  const int k = blockIdx.x * 32 + threadIdx.x;
  double count = 0;
  for (int i = 0; i < n; ++i)
    if (keys[i] == k) ++count;
  counts[k] = count;
}
