// Wrong: __shfl_down_sync leaves the sum of the row in lane 0, and the other lanes use what they have.
//
// Launch: rmsnorm<<<ceil(rows / WARPS), 32 * WARPS>>>(x, gamma, out, rows, epsilon)
#define WARPS 8
#define COLUMNS 128

__device__ float sum_lanes(float mine) {
  for (int distance = 16; distance > 0; distance /= 2) mine += __shfl_down_sync(0xffffffff, mine, distance);
  return mine;
}

__global__ void rmsnorm(const float* x, const float* gamma, float* out, int rows, float epsilon) {
  int lane = threadIdx.x % 32;
  int r = blockIdx.x * WARPS + threadIdx.x / 32;
  if (r >= rows) return;  // a whole warp leaves, so every shuffle has its 32 lanes
  long long at = static_cast<long long>(r) * COLUMNS + lane * 4;

  float4 value = *reinterpret_cast<const float4*>(x + at);
  float4 weight = *reinterpret_cast<const float4*>(gamma + lane * 4);
  float squares = sum_lanes(value.x * value.x + value.y * value.y + value.z * value.z + value.w * value.w);
  float scale = rsqrtf(squares / COLUMNS + epsilon);
  *reinterpret_cast<float4*>(out + at) =
      make_float4(value.x * scale * weight.x, value.y * scale * weight.y, value.z * scale * weight.z,
                  value.w * scale * weight.w);
}
