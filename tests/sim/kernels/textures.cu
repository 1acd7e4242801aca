// One fetch per thread, of every kind that the simulator knows.
extern "C" __global__ void one(cudaTextureObject_t texture, const float* x, float4* out) {
  out[threadIdx.x] = tex1D<float4>(texture, x[threadIdx.x]);  // [fetch]
}
extern "C" __global__ void two(cudaTextureObject_t texture, const float* x, const float* y, float4* out) {
  out[threadIdx.x] = tex2D<float4>(texture, x[threadIdx.x], y[threadIdx.x]);
}
extern "C" __global__ void two_level(cudaTextureObject_t texture, const float* x, const float* y, float4* out) {
  out[threadIdx.x] = tex2DLod<float4>(texture, x[threadIdx.x], y[threadIdx.x], 2.0f);
}
extern "C" __global__ void two_gradients(cudaTextureObject_t texture, const float* x, const float* y, float4* out) {
  const float2 step = make_float2(1, 0);
  out[threadIdx.x] = tex2DGrad<float4>(texture, x[threadIdx.x], y[threadIdx.x], step, step);
}
extern "C" __global__ void three(cudaTextureObject_t texture, const float* x, const float* y, const float* z,
                                 float4* out) {
  const int i = threadIdx.x;
  out[i] = tex3D<float4>(texture, x[i], y[i], z[i]);
}
extern "C" __global__ void one_layered(cudaTextureObject_t texture, const float* x, const int* layer, float4* out) {
  out[threadIdx.x] = tex1DLayered<float4>(texture, x[threadIdx.x], layer[threadIdx.x]);
}
extern "C" __global__ void two_layered(cudaTextureObject_t texture, const float* x, const float* y, const int* layer,
                                       float4* out) {
  const int i = threadIdx.x;
  out[i] = tex2DLayered<float4>(texture, x[i], y[i], layer[i]);
}
extern "C" __global__ void fetch(cudaTextureObject_t texture, const int* x, float4* out) {
  out[threadIdx.x] = tex1Dfetch<float4>(texture, x[threadIdx.x]);
}
extern "C" __global__ void whole(cudaTextureObject_t texture, const float* x, int4* out) {
  out[threadIdx.x] = tex1D<int4>(texture, x[threadIdx.x]);
}
extern "C" __global__ void bytes(cudaTextureObject_t texture, const float* x, uchar4* out) {
  out[threadIdx.x] = tex1D<uchar4>(texture, x[threadIdx.x]);
}
extern "C" __global__ void resident(cudaTextureObject_t texture, const float* x, float* out, int* there) {
  bool is_there = false;
  out[threadIdx.x] = tex2D<float>(texture, x[threadIdx.x], 0.5f, &is_there);
  there[threadIdx.x] = is_there;
}
