// Wrong: the threads of the last block that lie past the last pair read and write as well.
//
// Launch: rope<<<ceil(tokens * heads * dim / 2 / 256), 256>>>(x, cosine, sine, out, tokens, heads, dim)

__global__ void rope(const float* x, const float* cosine, const float* sine, float* out, int tokens, int heads,
                     int dim) {
  int pair = blockIdx.x * blockDim.x + threadIdx.x;
  int half = dim / 2;
  int i = pair % half, vector = pair / half, token = vector / heads;

  long long at = static_cast<long long>(vector) * dim + i;
  float first = x[at], second = x[at + half];
  float c = cosine[token * half + i], s = sine[token * half + i];
  out[at] = first * c - second * s;
  out[at + half] = second * c + first * s;
}
