// Wrong: the second result is computed from the first one, not from the element.
//
// Launch: rope<<<ceil(tokens * heads * dim / 2 / 256), 256>>>(x, cosine, sine, out, tokens, heads, dim)

__global__ void rope(const float* x, const float* cosine, const float* sine, float* out, int tokens, int heads,
                     int dim) {
  int pair = blockIdx.x * blockDim.x + threadIdx.x;
  int half = dim / 2;
  if (pair >= tokens * heads * half) return;
  int i = pair % half, vector = pair / half, token = vector / heads;

  long long at = static_cast<long long>(vector) * dim + i;
  float first = x[at], second = x[at + half];
  float c = cosine[token * half + i], s = sine[token * half + i];
  first = first * c - second * s;
  out[at] = first;
  out[at + half] = second * c + first * s;
}
