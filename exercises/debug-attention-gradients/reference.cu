// Launch: reference<<<keys, 64>>>(q, k, v, d_o, lse, delta, dk, dv, queries, keys, scale)
__global__ void reference(const float* q, const float* k, const float* v, const float* d_o, const float* lse,
                          const float* delta, double* dk, double* dv, int queries, int keys, float scale) {
  const int key = blockIdx.x, column = threadIdx.x;
  double sum_k = 0, sum_v = 0;
  for (int query = 0; query < queries; ++query) {
    double s = 0, dp = 0;
    for (int c = 0; c < 64; ++c) {
      s += double(q[query * 64 + c]) * k[key * 64 + c];
      dp += double(d_o[query * 64 + c]) * v[key * 64 + c];
    }
    const double p = exp(scale * s - lse[query]);
    sum_v += p * d_o[query * 64 + column];
    sum_k += p * (dp - delta[query]) * q[query * 64 + column];
  }
  dk[key * 64 + column] = scale * sum_k;
  dv[key * 64 + column] = sum_v;
}
