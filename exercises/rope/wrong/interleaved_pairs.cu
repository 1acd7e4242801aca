// Wrong: pairs neighbours, 2i and 2i + 1, which is the other form of rotary embedding.
//
// Launch: rope<<<ceil(tokens * heads * dim / 2 / 256), 256>>>(x, cosine, sine, out, tokens, heads, dim)

__global__ void rope(const float* x, const float* cosine, const float* sine, float* out, int tokens, int heads,
                     int dim) {
  int pair = blockIdx.x * blockDim.x + threadIdx.x;
  int half = dim / 2;
  if (pair >= tokens * heads * half) return;
  int i = pair % half, vector = pair / half, token = vector / heads;

  long long at = static_cast<long long>(vector) * dim + 2 * i;
  float first = x[at], second = x[at + 1];
  float c = cosine[token * half + i], s = sine[token * half + i];
  out[at] = first * c - second * s;
  out[at + 1] = second * c + first * s;
}
