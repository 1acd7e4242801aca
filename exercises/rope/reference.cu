// One element per thread, in double precision.
//
// Launch: reference<<<ceil(tokens * heads * dim / 256), 256>>>(x, cosine, sine, out, tokens, heads, dim)

__global__ void reference(const float* x, const float* cosine, const float* sine, double* out, int tokens, int heads,
                          int dim) {
  int e = blockIdx.x * blockDim.x + threadIdx.x;
  if (e >= tokens * heads * dim) return;
  int half = dim / 2, d = e % dim, i = d % half, token = e / dim / heads;
  double first = x[e - d + i], second = x[e - d + i + half];
  double c = cosine[token * half + i], s = sine[token * half + i];
  out[e] = d < half ? first * c - second * s : second * c + first * s;
}
