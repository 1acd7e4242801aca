// Rotary embedding: element i of a vector and element i + dim / 2 are rotated by the angle of the token and of i.
//
// Launch: rope<<<ceil(tokens * heads * dim / 2 / 256), 256>>>(x, cosine, sine, out, tokens, heads, dim)

__global__ void rope(const float* x, const float* cosine, const float* sine, float* out, int tokens, int heads,
                     int dim) {
  int pair = blockIdx.x * blockDim.x + threadIdx.x;
  int half = dim / 2;
  if (pair < tokens * heads * half) {
    // TODO: find vector, token and i of this pair, read its two elements, and write both rotated ones.
    out[pair] = x[pair];
  }
}
