// The child of app/draw/gl/interop_trial.hpp.
#define GLFW_INCLUDE_NONE  // epoxy provides OpenGL
#include <GLFW/glfw3.h>

#include <cstdlib>
#include <ostream>
#include <string>
#include <vector>

#include "app/draw/gl/heat_map.hpp"
#include "app/window/window_commands.hpp"
#include "engine/gpu/gpu_executor.hpp"
#include "engine/gpu/interop_record.hpp"
#include "engine/report/report.hpp"
#include "engine/run/paths.hpp"

namespace tilescope {
namespace {

constexpr size_t kCount = 5003;

/// A window that is never shown, with its OpenGL context current.
class HiddenWindow {
 public:
  static Result<std::unique_ptr<HiddenWindow>> open() {
    std::unique_ptr<HiddenWindow> window(new HiddenWindow);
    if (glfwInit() == GLFW_FALSE) return fail(ErrorId::no_display, last_words());
    glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
    glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
    glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
    glfwWindowHint(GLFW_VISIBLE, GLFW_FALSE);
    window->window_ = glfwCreateWindow(64, 64, "Tilescope", nullptr, nullptr);
    if (window->window_ == nullptr) return fail(ErrorId::gl_failed, last_words());
    glfwMakeContextCurrent(window->window_);
    return window;
  }
  ~HiddenWindow() {
    if (window_ != nullptr) glfwDestroyWindow(window_);
    glfwTerminate();
  }
  HiddenWindow(const HiddenWindow&) = delete;
  HiddenWindow& operator=(const HiddenWindow&) = delete;

 private:
  HiddenWindow() = default;
  static std::string last_words() {
    const char* text = nullptr;
    glfwGetError(&text);
    return text != nullptr ? text : "the window system gave no reason";
  }
  GLFWwindow* window_ = nullptr;
};

std::vector<float> values_of(uint32_t seed) {
  std::vector<float> values(kCount);
  for (uint32_t i = 0; i < kCount; ++i) {
    uint32_t bits = (i + 1) * 0x9e3779b9U ^ seed;
    bits = (bits ^ (bits >> 15)) * 0x85ebca6bU;
    values[i] = static_cast<float>(bits >> 8) * 0x1p-23F - 1;
  }
  return values;
}

/// A run with these values as output; its host copy has them, or zeros.
Result<std::shared_ptr<const RunResult>> make_run(Executor& gpu, const std::vector<float>& values, bool on_host) {
  auto run = std::make_shared<RunResult>();
  run->device = gpu.device();
  run->plan.buffers = {
      {.name = "out", .type = DType::f32, .shape = {static_cast<int64_t>(kCount)}, .role = Role::output}};
  auto buffer = gpu.allocate({.name = "out", .type = DType::f32, .count = kCount});
  if (!buffer) return tl::unexpected<Error>(buffer.error());
  if (auto sent = gpu.upload(**buffer, std::as_bytes(std::span(values)), false); !sent)
    return tl::unexpected<Error>(sent.error());
  run->device_buffers = {*buffer};
  HostBuffer copy(DType::f32, kCount);
  if (on_host) std::copy(values.begin(), values.end(), copy.as<float>().begin());
  run->buffers = {std::make_shared<const HostBuffer>(std::move(copy))};
  Correctness check;
  check.buffer = "out";
  check.checked = kCount;
  check.tolerance = {1e-3, 1e-3};
  check.expected = values;
  for (size_t i = 0; i < kCount; ++i) check.expected[i] += static_cast<float>(i % 7) * 4e-4F;
  run->correctness = {std::move(check)};
  return run;
}

std::vector<ImU32> draw(HeatMaps& maps, HeatMaps::Kind kind, const std::shared_ptr<const RunResult>& run) {
  constexpr ImU32 kFailing = IM_COL32(240, 112, 58, 255);
  maps.draw({kind, 0, HeatMaps::fit(*run, 0, 400, 200, 1), kFailing, true}, run);
  return maps.pixels(kind);
}

/// Why the pictures of two runs, one after the other, differ from those through host memory; empty if they do not. The
/// runs drawn through interop have zeros on the host, so that no other path gives the same picture.
std::string compare_pictures(HeatMaps& direct, HeatMaps& copied, Executor& gpu) {
  std::vector<ImU32> before;
  for (const uint32_t seed : {1U, 2U}) {
    const auto values = values_of(seed);
    const auto on_device = make_run(gpu, values, false), on_host = make_run(gpu, values, true);
    if (!on_device || !on_host) return (on_device ? on_host : on_device).error().message;
    for (const auto kind : {HeatMaps::Kind::value, HeatMaps::Kind::error}) {
      const auto wanted = draw(copied, kind, *on_host), got = draw(direct, kind, *on_device);
      if (direct.interop().reason() == Interop::Reason::registration_failed)
        return "CUDA could not register OpenGL's buffer, " + direct.interop().detail().english();
      if (got != wanted) return "the picture of what CUDA copied into OpenGL's buffer was wrong";
      if (wanted == before) return "OpenGL draws the same picture of different values";
      before = wanted;
    }
  }
  return {};
}

/// No kernels are run here, so no worker process is needed.
void run_without_worker() {
  const char* hidden = std::getenv("TILESCOPE_HIDE");
  setenv("TILESCOPE_HIDE", hidden != nullptr ? (std::string(hidden) + ",worker").c_str() : "worker", 1);
}

}  // namespace

int interop_trial_command(std::ostream& out) {
  const auto refuse = [&out](const std::string& reason) {
    out << reason << std::endl;
    return kUnavailable;
  };
  {
    auto window = HiddenWindow::open();
    if (!window) return refuse(window.error().message);
    run_without_worker();
    const auto gpu = open_gpu();
    if (!gpu) return refuse(gpu.error().message);
    const auto shaders = find_root() / "shaders";
    auto direct = HeatMaps::create(shaders, gpu);
    auto copied = HeatMaps::create(shaders, fail(ErrorId::no_gpu, "its pictures are copied"));
    if (!direct || !copied) return refuse((direct ? copied : direct).error().message);
    const Interop& interop = (*direct)->interop();
    if (interop.reason() == Interop::Reason::other_renderer)
      return refuse("OpenGL is drawn by " + interop.renderer() + ", not by the CUDA GPU");
    if (interop.path() != Interop::Path::interop) return refuse("TILESCOPE_PICTURE asks for the copy path");
    if (const std::string reason = compare_pictures(**direct, **copied, **gpu); !reason.empty()) {
      InteropRecord::in(user_cache_folder()).note();
      refuse(reason);
      std::_Exit(kUnavailable);  // the cleanup could block just as long again
    }
  }
  // Releasing the buffers and the window is part of the trial.
  InteropRecord::in(user_cache_folder()).forget();
  out << kInteropWorks << std::endl;
  return kClean;
}

}  // namespace tilescope
