// Wrong: splits the index by bit operations, which needs a dim that is a power of two, as in the public cases.
//
// Launch: rope<<<ceil(tokens * heads * dim / 2 / 256), 256>>>(x, cosine, sine, out, tokens, heads, dim)

__global__ void rope(const float* x, const float* cosine, const float* sine, float* out, int tokens, int heads,
                     int dim) {
  int pair = blockIdx.x * blockDim.x + threadIdx.x;
  int half = dim / 2;
  if (pair >= tokens * heads * half) return;
  int bits = 31 - __clz(half);
  int i = pair & (half - 1), vector = pair >> bits, token = vector / heads;

  long long at = static_cast<long long>(vector) * dim + i;
  float first = x[at], second = x[at + half];
  float c = cosine[token * half + i], s = sine[token * half + i];
  out[at] = first * c - second * s;
  out[at + half] = second * c + first * s;
}
