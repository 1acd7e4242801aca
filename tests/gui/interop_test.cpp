// CUDA-OpenGL interop against the copy path: on the GPU that draws OpenGL, both give the same pixels. Without a GPU, or
// with OpenGL drawn elsewhere, the copy path is chosen and the reason is given.
//
//   gui_test --gtest_filter='InteropPaths.*'        on a machine with an NVIDIA GPU, with the window on it
//   TILESCOPE_TEST_FAULTS=1 gui_test --gtest_filter='InteropPaths.*'        also with a kernel that faults
//
// With some drivers a faulted kernel breaks interop on the machine until it reboots: then the picture tests fail, as
// does `tilescope interop-trial`.
#include "app/draw/gl/interop.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <random>
#include <thread>

#include "app/draw/gl/heat_map.hpp"
#include "engine/gpu/gpu_executor.hpp"
#include "tests/gui/gl_window.hpp"

namespace tilescope {
namespace {

constexpr ImU32 kFailing = IM_COL32(240, 112, 58, 255);
constexpr size_t kCount = 98432;

class InteropPaths : public GlWindow {};

/// Sets an environment variable for the object's lifetime.
class Environment {
 public:
  Environment(const char* name, const char* value) : name_(name) { setenv(name, value, 1); }
  ~Environment() { unsetenv(name_); }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  const char* name_;
};

/// A run whose output is on the device; its host copy holds `host` instead, so that a test can tell them apart.
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
  for (int frame = 0; frame < 3; ++frame)
    if (maps.draw({kind, 0, HeatMaps::fit(*run, 0, 500, 280, 1), kFailing, true}, run).complete) break;
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

  for (const size_t count : {kCount, size_t{1} << 20, size_t{777}}) {  // the buffer grows and shrinks: with and without
                                                                       // a new registration
    const auto values = random_values(count);
    const std::shared_ptr<const RunResult> run = make_run(**gpu, count, values, values);
    ASSERT_TRUE(run);
    for (const auto kind : {HeatMaps::Kind::value, HeatMaps::Kind::error})
      EXPECT_EQ(draw(**maps, kind, run), draw(**copying, kind, run)) << count << " elements";
  }
  EXPECT_EQ((*maps)->interop().path(), Interop::Path::interop) << "a registration failed";
}

// Once a picture has not been drawn for a while its elements are freed: the registration ends and the buffer shrinks.
TEST_F(InteropPaths, AfterARestThePictureIsFilledAgainFromTheDevice) {
  const auto gpu = open_gpu();
  auto maps = HeatMaps::create(shaders(), gpu);
  ASSERT_TRUE(maps) << maps.error().message;
  NEED_INTEROP(gpu, **maps);
  const auto values = random_values(kCount), others = random_values(2 * kCount);
  const std::shared_ptr<const RunResult> run = make_run(**gpu, kCount, values, std::vector<float>(kCount, 0));
  const std::shared_ptr<const RunResult> larger =
      make_run(**gpu, 2 * kCount, others, std::vector<float>(2 * kCount, 0));
  ASSERT_TRUE(run && larger);
  constexpr int kRest = 1000;  // frames
  const auto before = draw(**maps, HeatMaps::Kind::value, run);
  for (int frame = 0; frame < kRest; ++frame) (*maps)->poll();
  const auto other = draw(**maps, HeatMaps::Kind::value, larger);
  for (int frame = 0; frame < kRest; ++frame) (*maps)->poll();
  EXPECT_EQ(draw(**maps, HeatMaps::Kind::value, run), before);
  EXPECT_NE(other, before);
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

/// A kernel that writes to address 16.
Launch faulting_launch(CompiledModule& module) {
  module.ptx =
      ".version 7.0\n.target sm_70\n.address_size 64\n"
      ".visible .entry fault()\n{\n  .reg .b64 %rd<2>;\n  .reg .b32 %r<2>;\n"
      "  mov.u64 %rd1, 16;\n  mov.u32 %r1, 7;\n  st.global.u32 [%rd1], %r1;\n  ret;\n}\n";
  return {.kernel = "fault", .grid = {1, 1, 1}, .block = {32, 1, 1}, .shared_bytes = 0, .arguments = {}};
}

/// Whether the reason becomes `reason` within the time that a trial may take.
bool comes_to(HeatMaps& maps, Interop::Reason reason) {
  for (int i = 0; i < 3000 && maps.interop().reason() != reason; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    maps.poll();
  }
  return maps.interop().reason() == reason;
}

TEST_F(InteropPaths, PicturesAreCopiedUntilATrialHasSucceeded) {
  const auto gpu = open_gpu();
  std::atomic<bool> answered{false};
  const auto trial = [&answered](std::stop_token stop) -> std::optional<std::string> {
    while (!answered && !stop.stop_requested()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return std::nullopt;
  };
  auto maps = HeatMaps::create(shaders(), gpu, {trial, {}});
  ASSERT_TRUE(maps) << maps.error().message;
  NEED_INTEROP(gpu, **maps);
  const auto values = random_values(kCount);
  const std::shared_ptr<const RunResult> run = make_run(**gpu, kCount, values, values);
  const std::shared_ptr<const RunResult> empty_host = make_run(**gpu, kCount, values, std::vector<float>(kCount, 0));
  EXPECT_EQ((*maps)->interop().reason(), Interop::Reason::trying);
  const auto copied = draw(**maps, HeatMaps::Kind::error, run);
  EXPECT_NE(copied, draw(**maps, HeatMaps::Kind::error, empty_host)) << "it is not copied";
  answered = true;
  ASSERT_TRUE(comes_to(**maps, Interop::Reason::active));
  EXPECT_EQ(copied, draw(**maps, HeatMaps::Kind::error, run));
  EXPECT_EQ(copied, draw(**maps, HeatMaps::Kind::error, empty_host)) << "interop is not used";
}

TEST_F(InteropPaths, AfterAKernelHasFaultedPicturesAreCopiedAndRight) {
  const auto gpu = open_gpu();
  std::atomic<int> trials{0};
  const auto trial = [&](const std::stop_token&) -> std::optional<std::string> {
    ++trials;
    return std::nullopt;
  };
  auto maps = HeatMaps::create(shaders(), gpu, {trial, {}});
  auto copying = HeatMaps::create(shaders(), fail(ErrorId::no_gpu, "a test of the copy path"));
  ASSERT_TRUE(maps && copying);
  NEED_INTEROP(gpu, **maps);
  if (std::getenv("TILESCOPE_TEST_FAULTS") == nullptr)
    GTEST_SKIP() << "may break interop on this machine until it starts again; TILESCOPE_TEST_FAULTS=1 runs it";
  ASSERT_TRUE(comes_to(**maps, Interop::Reason::active));
  std::vector<float> values = random_values(kCount);
  const std::shared_ptr<const RunResult> before = make_run(**gpu, kCount, values, values);
  std::reverse(values.begin(), values.end());
  const std::shared_ptr<const RunResult> after = make_run(**gpu, kCount, values, values);
  ASSERT_TRUE(before && after);
  constexpr auto kError = HeatMaps::Kind::error, kValue = HeatMaps::Kind::value;
  const auto picture_after = draw(**copying, kError, after), values_after = draw(**copying, kValue, after);
  const auto picture_before = draw(**copying, kError, before);
  ASSERT_NE(picture_after, picture_before);
  EXPECT_EQ(draw(**maps, kError, before), picture_before);

  CompiledModule module;
  const Launch launch = faulting_launch(module);
  const auto report = (*gpu)->launch(module, launch, {}, {}, {});
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().id, ErrorId::cuda_failed) << report.error().message;
  EXPECT_EQ(draw(**maps, kError, after), picture_after);
  EXPECT_EQ((*maps)->interop().reason(), Interop::Reason::faulted);
  EXPECT_EQ((*maps)->interop().losses(), 1U);
  EXPECT_EQ(draw(**maps, kValue, after), values_after);
  EXPECT_EQ(draw(**maps, kError, before), picture_before);
  EXPECT_EQ(draw(**copying, kError, after), picture_after) << "another object in the same context";
  EXPECT_EQ(trials, 1);
}

TEST_F(InteropPaths, AFaultInAnEarlierProcessIsReasonEnoughToCopy) {
  const auto gpu = open_gpu();
  const std::filesystem::path file = std::filesystem::path(testing::TempDir()) / "interop-doubtful-test";
  const InteropRecord record(file, "this start");
  record.note();
  std::atomic<int> trials{0};
  const auto trial = [&](const std::stop_token&) -> std::optional<std::string> {
    ++trials;
    return std::nullopt;
  };
  auto maps = HeatMaps::create(shaders(), gpu, {trial, {}, record});
  record.forget();
  ASSERT_TRUE(maps);
  NEED_INTEROP(gpu, **maps);
  EXPECT_EQ((*maps)->interop().reason(), Interop::Reason::faulted);
  const auto values = random_values(kCount);
  const std::shared_ptr<const RunResult> run = make_run(**gpu, kCount, values, values);
  auto copying = HeatMaps::create(shaders(), fail(ErrorId::no_gpu, "a test of the copy path"));
  ASSERT_TRUE(run && copying);
  EXPECT_EQ(draw(**maps, HeatMaps::Kind::error, run), draw(**copying, HeatMaps::Kind::error, run));
  EXPECT_EQ(trials, 0);
}

TEST_F(InteropPaths, ARenewedBufferLeavesTheOldOneAsItWas) {
  constexpr std::array<uint32_t, 4> kOld{1, 2, 3, 4}, kNew{5, 6, 7, 8};
  const auto words_of = [](GLuint buffer) {
    std::array<uint32_t, 4> words{};
    glBindBuffer(GL_COPY_READ_BUFFER, buffer);
    glGetBufferSubData(GL_COPY_READ_BUFFER, 0, sizeof(words), words.data());
    glBindBuffer(GL_COPY_READ_BUFFER, 0);
    return words;
  };
  WordBuffer target;
  target.reserve(sizeof(kOld));
  target.write(std::as_bytes(std::span(kOld)));
  const WordBuffer::Names old = target.renew();
  EXPECT_NE(target.buffer(), old.buffer);
  EXPECT_NE(target.texture(), old.texture);
  EXPECT_TRUE(target.reserve(sizeof(kNew))) << "it has storage of its own";
  target.write(std::as_bytes(std::span(kNew)));
  EXPECT_EQ(words_of(old.buffer), kOld);
  EXPECT_EQ(words_of(target.buffer()), kNew);
  glDeleteBuffers(1, &old.buffer);
  glDeleteTextures(1, &old.texture);
  EXPECT_EQ(glGetError(), GLenum{GL_NO_ERROR});
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

TEST_F(InteropPaths, WhereInteropCannotBeNothingIsTried) {
  std::atomic<int> trials{0};
  const auto trial = [&trials](std::stop_token) -> std::optional<std::string> {
    ++trials;
    return std::nullopt;
  };
  {
    const Environment hidden("TILESCOPE_HIDE", "cuda");
    EXPECT_EQ(Interop(open_gpu(), {trial, {}}).reason(), Interop::Reason::no_gpu);
  }
  const Environment copy_wanted("TILESCOPE_PICTURE", "copy");
  EXPECT_EQ(Interop(open_gpu(), {trial, {}}).reason(), Interop::Reason::asked_for_copy);
  EXPECT_EQ(trials, 0);
}

TEST_F(InteropPaths, EveryReasonIsASentenceInBothLanguages) {
  auto strings = Strings::load(std::filesystem::path(TILESCOPE_SOURCE) / "assets/strings");
  ASSERT_TRUE(strings);
  for (const Language language : {Language::en, Language::zh}) {
    strings->language = language;
    for (const char* key : {"picture.trying", "picture.trial_failed", "picture.faulted"})
      EXPECT_GT(strings->format(key, fmt::arg("detail", "the picture was blank")).size(), 40U) << key;
    EXPECT_NE(strings->format("picture.trial_failed", fmt::arg("detail", "the picture was blank")).find("was blank"),
              std::string::npos);
  }
}

TEST_F(InteropPaths, TheEnvironmentCanAskForTheCopyPath) {
  const Environment copy_wanted("TILESCOPE_PICTURE", "copy");
  auto maps = HeatMaps::create(shaders(), open_gpu());
  ASSERT_TRUE(maps);
  EXPECT_EQ((*maps)->interop().reason(), Interop::Reason::asked_for_copy);
}

}  // namespace
}  // namespace tilescope
