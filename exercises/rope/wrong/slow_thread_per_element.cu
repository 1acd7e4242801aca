// Slow: the results are right, but a thread has one output element, so every element of x is read by two threads.
//
// Launch: rope<<<ceil(tokens * heads * dim / 256), 256>>>(x, cosine, sine, out, tokens, heads, dim)

__global__ void rope(const float* x, const float* cosine, const float* sine, float* out, int tokens, int heads,
                     int dim) {
  int e = blockIdx.x * blockDim.x + threadIdx.x;
  if (e >= tokens * heads * dim) return;
  int half = dim / 2, d = e % dim, i = d % half, token = e / dim / heads;
  float c = cosine[token * half + i], s = sine[token * half + i];
  out[e] = d < half ? x[e] * c - x[e + half] * s : x[e] * c + x[e - half] * s;
}
