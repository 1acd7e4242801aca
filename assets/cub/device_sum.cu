// cub::DeviceReduce::Sum of floats behind a plain C function, so that a program without CUDA headers can call it.
// Compiled by the toolkit's nvcc where there is one: nvcc -shared -O3 -Xcompiler -fPIC device_sum.cu
#include <cub/device/device_reduce.cuh>

// With `scratch` null only `scratch_bytes` is set: what a call needs. Returns a cudaError_t.
extern "C" int tilescope_cub_sum(const float* x, float* out, long long n, void* scratch, size_t* scratch_bytes,
                                 cudaStream_t stream) {
  return static_cast<int>(cub::DeviceReduce::Sum(scratch, *scratch_bytes, x, out, n, stream));
}
