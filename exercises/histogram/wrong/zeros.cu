// Writes only zeros.
// Launch: histogram<<<1, 256>>>(keys, counts, n)
__global__ void histogram(const unsigned char* keys, int* counts, int n) { counts[threadIdx.x] = 0; }
