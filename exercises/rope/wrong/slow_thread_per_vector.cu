// Slow: the results are right, but a thread has a vector for itself: neighbouring lanes are dim elements apart.
//
// Launch: rope<<<ceil(tokens * heads / 64), 64>>>(x, cosine, sine, out, tokens, heads, dim)

__global__ void rope(const float* x, const float* cosine, const float* sine, float* out, int tokens, int heads,
                     int dim) {
  int vector = blockIdx.x * blockDim.x + threadIdx.x;
  if (vector >= tokens * heads) return;
  int half = dim / 2, token = vector / heads;
  for (int i = 0; i < half; ++i) {
    float first = x[vector * dim + i], second = x[vector * dim + i + half];
    float c = cosine[token * half + i], s = sine[token * half + i];
    out[vector * dim + i] = first * c - second * s;
    out[vector * dim + i + half] = second * c + first * s;
  }
}
