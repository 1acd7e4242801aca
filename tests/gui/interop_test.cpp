// CUDA-OpenGL interop against the copy path: on the GPU that draws OpenGL, both give the same pixels. Without a GPU, or
// with OpenGL drawn elsewhere, the copy path is chosen and says why.
//
//   gui_test --gtest_filter='InteropPaths.*'        on a machine with an NVIDIA GPU, with the window on it
#include "app/gl/interop.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <random>

#include "app/gl/heat_map.hpp"
#include "engine/gpu/gpu_executor.hpp"
#include "tests/gui/gl_window.hpp"

namespace tilescope {
namespace {

constexpr ImU32 kFailing = IM_COL32(240, 112, 58, 255);
constexpr size_t kCount = 98432;

class InteropPaths : public GlWindow {};

/// Sets an environment variable for the life of the object.
class Environment {
 public:
  Environment(const char* name, const char* value) : name_(name) { setenv(name, value, 1); }
  ~Environment() { unsetenv(name_); }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  const char* name_;
};

/// A run whose output lies on the device; its host copy is what `host` says, so that a test can tell them apart.
std::shared_ptr<RunResult> make_run(Executor& gpu, size_t count, const std::vector<float>& device,
                                    const std::vector<float>& host) {
  auto run = std::make_shared<RunResult>();
  run->device = gpu.device();
  run->plan.buffers = {
      {.name = "out", .type = DType::f32, .shape = {static_cast<int64_t>(count)}, .role = Role::output}};
  auto buffer = gpu.allocate({.name = "out", .type = DType::f32, .count = count, .index = 0});
  EXPECT_TRUE(buffer) << buffer.error().message;
  if (!buffer) return nullptr;
  EXPECT_TRUE(gpu.upload(**buffer, std::as_bytes(std::span(device)), false));
  run->device_buffers = {*buffer};
  HostBuffer copy(DType::f32, count);
  std::copy(host.begin(), host.end(), copy.as<float>().begin());
  run->buffers = {std::make_shared<const HostBuffer>(std::move(copy))};
  Correctness check;
  check.buffer = "out";
  check.checked = count;
  check.tolerance = {1e-3, 1e-3};
  check.expected = device;
  for (size_t i = 0; i < count; ++i) check.expected[i] += static_cast<float>(i % 7) * 4e-4F;
  run->correctness = {std::move(check)};
  return run;
}

std::vector<float> random_values(size_t count) {
  std::mt19937 random(11);
  std::normal_distribution<float> normal;
  std::vector<float> values(count);
  for (float& value : values) value = normal(random);
  return values;
}

std::vector<ImU32> draw(HeatMaps& maps, HeatMaps::Kind kind, const std::shared_ptr<const RunResult>& run) {
  maps.draw({kind, 0, HeatMaps::fit(*run, 0, 500, 280, 1), kFailing, true}, run);
  return maps.pixels(kind);
}

/// Skips unless CUDA and OpenGL are on the same GPU.
#define NEED_INTEROP(gpu, maps)                                                                               \
  if (!(gpu)) GTEST_SKIP() << (gpu).error().message;                                                          \
  if (std::string(reinterpret_cast<const char*>(glGetString(GL_VENDOR))).find("NVIDIA") == std::string::npos) \
    GTEST_SKIP() << "OpenGL is drawn by " << (maps).interop().renderer();

TEST_F(InteropPaths, BothPathsGiveTheSamePixels) {
  const auto gpu = open_gpu();
  auto maps = HeatMaps::create(shaders(), gpu);
  ASSERT_TRUE(maps) << maps.error().message;
  NEED_INTEROP(gpu, **maps);
  ASSERT_EQ((*maps)->interop().path(), Interop::Path::interop);

  const Environment copy_wanted("TILESCOPE_PICTURE", "copy");
  auto copying = HeatMaps::create(shaders(), gpu);
  ASSERT_TRUE(copying);
  ASSERT_EQ((*copying)->interop().path(), Interop::Path::copy);
  EXPECT_EQ((*copying)->interop().reason(), Interop::Reason::asked_for_copy);

  for (const size_t count : {kCount, size_t{1} << 20, size_t{777}}) {  // grows and shrinks: registers again, and not
    const auto values = random_values(count);
    const std::shared_ptr<const RunResult> run = make_run(**gpu, count, values, values);
    ASSERT_TRUE(run);
    for (const auto kind : {HeatMaps::Kind::value, HeatMaps::Kind::error})
      EXPECT_EQ(draw(**maps, kind, run), draw(**copying, kind, run)) << count << " elements";
  }
  EXPECT_EQ((*maps)->interop().path(), Interop::Path::interop) << "a registration failed";
}

TEST_F(InteropPaths, ThePictureComesFromTheDeviceAndNotFromTheHostCopy) {
  const auto gpu = open_gpu();
  auto maps = HeatMaps::create(shaders(), gpu);
  ASSERT_TRUE(maps) << maps.error().message;
  NEED_INTEROP(gpu, **maps);
  const auto values = random_values(kCount);
  const std::shared_ptr<const RunResult> honest = make_run(**gpu, kCount, values, values);
  const std::shared_ptr<const RunResult> empty_host = make_run(**gpu, kCount, values, std::vector<float>(kCount, 0));
  ASSERT_TRUE(honest && empty_host);
  const auto from_device = draw(**maps, HeatMaps::Kind::error, empty_host);
  EXPECT_EQ(from_device, draw(**maps, HeatMaps::Kind::error, honest));

  const Environment copy_wanted("TILESCOPE_PICTURE", "copy");
  auto copying = HeatMaps::create(shaders(), gpu);
  ASSERT_TRUE(copying);
  EXPECT_NE(from_device, draw(**copying, HeatMaps::Kind::error, empty_host)) << "zeros give another picture";
}

TEST_F(InteropPaths, WithoutCudaTheCopyPathIsChosenAndSaysWhy) {
  const Environment hidden("TILESCOPE_HIDE", "cuda");
  auto maps = HeatMaps::create(shaders(), open_gpu());
  ASSERT_TRUE(maps);
  EXPECT_EQ((*maps)->interop().path(), Interop::Path::copy);
  EXPECT_EQ((*maps)->interop().reason(), Interop::Reason::no_gpu);
  auto strings = Strings::load(std::filesystem::path(TILESCOPE_SOURCE) / "assets/strings");
  ASSERT_TRUE(strings);
  EXPECT_NE((*maps)->interop().explain(*strings, nullptr).find("TILESCOPE_HIDE"), std::string::npos);
}

TEST_F(InteropPaths, TheEnvironmentCanAskForTheCopyPath) {
  const Environment copy_wanted("TILESCOPE_PICTURE", "copy");
  auto maps = HeatMaps::create(shaders(), open_gpu());
  ASSERT_TRUE(maps);
  EXPECT_EQ((*maps)->interop().reason(), Interop::Reason::asked_for_copy);
}

}  // namespace
}  // namespace tilescope
