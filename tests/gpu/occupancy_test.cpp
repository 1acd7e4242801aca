// The occupancy model and the table of GPUs against the driver of this machine's GPU.
#include "engine/traffic/schedule/occupancy.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include "engine/gpu/context.hpp"
#include "engine/gpu/module.hpp"
#include "tests/gpu/gpu_fixture.hpp"

namespace tilescope {
namespace {

/// A kernel with this many sums live at the same time, and this many words of shared memory.
std::string kernel_source(int sums, int words) {
  return fmt::format(R"(
extern "C" __global__ void k(const float* in, float* out, int n) {{
  __shared__ float tile[{1}];
  extern __shared__ float more[];
  float sum[{0}];
#pragma unroll
  for (int i = 0; i < {0}; ++i) sum[i] = in[i];
  for (int j = 0; j < n; ++j) {{
    tile[(threadIdx.x + j) % {1}] = in[j];
    more[0] = 1;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < {0}; ++i) sum[i] = sum[i] * tile[j % {1}] + in[j + i];
  }}
#pragma unroll
  for (int i = 0; i < {0}; ++i) out[threadIdx.x * {0} + i] = sum[i];
}})",
                     sums, words);
}

class GpuOccupancy : public OnGpu {
 protected:
  void SetUp() override {
    OnGpu::SetUp();
    if (!gpu_) return;
    const auto gpus = read_gpu_specs(std::filesystem::path(TILESCOPE_SOURCE) / "assets" / "gpus.toml");
    ASSERT_TRUE(gpus) << gpus.error().message;
    const GpuSpec* found = find_gpu_of_driver(*gpus, gpu_->device().name);
    if (found == nullptr) GTEST_SKIP() << gpu_->device().name << " is not in assets/gpus.toml";
    spec_ = *found;
    buffer_ = buffer_of({0});
    context_ = context_of(*buffer_);
  }
  int attribute(CUdevice_attribute which) const {
    int value = -1;
    EXPECT_EQ(context_->driver().device_get_attribute(&value, which, context_->device()), CUDA_SUCCESS);
    return value;
  }

  GpuSpec spec_;
  std::shared_ptr<DeviceBuffer> buffer_;
  std::shared_ptr<GpuContext> context_;
};

TEST_F(GpuOccupancy, TheTableHasWhatTheDriverSaysOfThisGpu) {
  const auto equals = [this](CUdevice_attribute which, uint64_t expected) {
    EXPECT_EQ(attribute(which), static_cast<int>(expected)) << "attribute " << which;
  };
  equals(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, spec_.multiprocessors);
  equals(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, spec_.l2_bytes);
  equals(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, spec_.shared_bytes_per_multiprocessor);
  equals(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, spec_.shared_bytes_per_block);
  equals(CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK, spec_.reserved_shared_bytes_per_block);
  equals(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR, spec_.registers_per_multiprocessor);
  equals(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK, spec_.registers_per_block);
  equals(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, spec_.max_threads_per_multiprocessor);
  equals(CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR, spec_.max_blocks_per_multiprocessor);
  equals(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, spec_.max_threads_per_block);
  EXPECT_NEAR(attribute(CU_DEVICE_ATTRIBUTE_CLOCK_RATE) * 1e3, spec_.boost_clock_hz.value(), 1e7);
}

TEST_F(GpuOccupancy, IsTheDriversForManyKernelsBlocksAndSharedSizes) {
  using Calculator = CUresult (*)(int*, CUfunction, int, size_t);
  void* library = dlopen("libcuda.so.1", RTLD_NOW);
  const auto calculate = reinterpret_cast<Calculator>(dlsym(library, "cuOccupancyMaxActiveBlocksPerMultiprocessor"));
  ASSERT_NE(calculate, nullptr);
  const Driver& driver = context_->driver();
  int compared = 0;
  for (int sums : {1, 8, 24, 48, 80, 120, 180}) {
    for (int words : {1, 256, 3000, 12288}) {
      const CompiledModule module = compile(kernel_source(sums, words));
      const auto loaded = LoadedModule::load(context_, module);
      ASSERT_TRUE(loaded) << loaded.error().message;
      const CurrentContext current(*context_);
      CUfunction function = nullptr;
      ASSERT_EQ(driver.module_get_function(&function, (*loaded)->handle(), "k"), CUDA_SUCCESS);
      const KernelInfo& info = *module.find("k");
      const auto most = static_cast<int>(spec_.shared_bytes_per_block - info.static_shared_bytes);
      ASSERT_EQ(driver.func_set_attribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, most),
                CUDA_SUCCESS);
      for (uint32_t threads : {1U, 32U, 64U, 96U, 128U, 192U, 256U, 384U, 512U, 640U, 768U, 1024U}) {
        for (int shared : {0, 100, 1024, 8192, 20000, 50000, 100000, 180000, most}) {
          if (shared > most) continue;
          int blocks = -1;
          ASSERT_EQ(calculate(&blocks, function, static_cast<int>(threads), static_cast<size_t>(shared)), CUDA_SUCCESS);
          const BlockUsage usage{threads, info.registers, info.static_shared_bytes, static_cast<uint32_t>(shared),
                                 info.barriers};
          EXPECT_EQ(occupancy_of(spec_, usage, uint64_t{1} << 40).blocks_per_multiprocessor,
                    static_cast<uint32_t>(blocks))
              << threads << " threads of " << info.registers << " registers, " << info.static_shared_bytes << " + "
              << shared << " bytes";
          ++compared;
        }
      }
    }
  }
  EXPECT_GT(compared, 2000);
}

}  // namespace
}  // namespace tilescope
