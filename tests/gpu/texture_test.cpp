// Texture objects on the GPU hold the buffer's contents at their creation, and are read as described.
#include <gmock/gmock.h>

#include "tests/gpu/gpu_fixture.hpp"

namespace tilescope {
namespace {

constexpr const char* kKernels = R"(
extern "C" __global__ void plane(cudaTextureObject_t image, float* out) {
  out[threadIdx.x] = tex2D<float>(image, 0.5f * threadIdx.x, 1);
}
extern "C" __global__ void memory(cudaTextureObject_t table, float* out) {
  out[threadIdx.x] = tex1Dfetch<float>(table, threadIdx.x);
}
)";

class GpuTextureTest : public OnGpu {};

TEST_F(GpuTextureTest, AnArrayAndLinearMemoryAreReadAsDescribed) {
  const CompiledModule module = compile(kKernels);
  const std::vector<std::shared_ptr<DeviceBuffer>> buffers{buffer_of({0, 1, 2, 3, 4, 5}), buffer_of({9, 9, 9, 9, 9})};
  Launch launch = make_launch("plane", 1, 5, {BufferArgument{.buffer = 0, .texture = 0}, BufferArgument{1}});
  launch.textures = {{.buffer = 0, .extent = {3, 2, 1}, .linear_filter = true}};
  auto report = gpu_->launch(module, launch, buffers, {}, {});
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_THAT(contents_of(*buffers[1]), testing::ElementsAre(1.5F, 1.5F, 2, 2.5F, 3));
  launch.kernel = "memory";
  launch.block = {5, 1, 1};
  launch.textures = {{.buffer = 0, .shape = TextureSpec::Shape::linear, .extent = {4, 1, 1}}};
  report = gpu_->launch(module, launch, buffers, {}, {});
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_THAT(contents_of(*buffers[1]), testing::ElementsAre(0, 1, 2, 3, 0));
}

}  // namespace
}  // namespace tilescope
