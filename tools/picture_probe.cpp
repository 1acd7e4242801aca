// Which drawing gives the right pixels, and how long each part of it takes, in a process that executes its arguments
// one after another:
//
//   picture_probe window buffer:4194304 cuda fault buffer:4194304 maps
//
//   window[:robust]   a new hidden window with its own OpenGL context, which becomes the current one
//   context:N         makes the context of window N (from 0) the current one
//   texture           a texture filled from host memory, drawn, read back
//   buffer:BYTES      the same with a new buffer that a shader reads; BYTES / 4 is a square number
//   maps              the window's heat maps, copied from host memory, without CUDA
//   cuda              the GPU as the program opens it: a CUDA context, and a worker for the kernels
//   ask               asks CUDA which GPU draws OpenGL
//   interop           heat maps through CUDA-OpenGL interop; the objects are kept
//   again             those heat maps again with other values, as the window does after the preceding events
//   close             deletes those heat maps
//   fault             a kernel that writes to an illegal address, in the worker
//   trial             starts `tilescope interop-trial` without waiting
//   end               waits until the trial has ended
//   kill              kills the trial, and waits until it is gone
//   wait:SECONDS      does nothing
//   line              waits for a line on standard input
//
//   --limit SECONDS   (first argument) for each step, 40 by default; if a step takes longer, the status is 3
#include <epoxy/gl.h>
#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <string_view>
#include <thread>
#include <vector>

#include "app/draw/gl/heat_map.hpp"
#include "engine/gpu/gpu_executor.hpp"
#include "engine/run/paths.hpp"
#include "tools/probe_drawing.hpp"

namespace tilescope {
namespace {

using Clock = std::chrono::steady_clock;

/// Ends the process when a step takes too long, whatever it waits for.
class Watchdog {
 public:
  explicit Watchdog(std::chrono::seconds limit)
      : limit_(limit), thread_([this](const std::stop_token& s) { watch(s); }) {}
  void step_begins() { began_ = Clock::now(); }

 private:
  void watch(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      if (Clock::now() - began_.load() < limit_) continue;
      constexpr std::string_view kText = " … GIVEN UP\n";
      if (write(STDOUT_FILENO, kText.data(), kText.size()) < 0) _exit(4);
      _exit(3);
    }
  }
  std::chrono::seconds limit_;
  std::atomic<Clock::time_point> began_{Clock::now()};
  std::jthread thread_;
};

constexpr size_t kRow = 1024;

/// A run with known values: every seventh row of elements, at the position given by `phase`, is far from the expected
/// values.
std::shared_ptr<const RunResult> make_run(Executor* gpu, uint32_t phase, bool on_host) {
  constexpr size_t kCount = size_t{1} << 20;
  std::vector<float> values(kCount);
  for (size_t i = 0; i < kCount; ++i)
    values[i] = static_cast<float>((i * 2654435761U + phase) >> 8 & 0xffffU) * 0x1p-16F;
  auto run = std::make_shared<RunResult>();
  run->device.kind = gpu != nullptr ? DeviceKind::gpu : DeviceKind::sim;
  run->plan.buffers = {
      {.name = "out", .type = DType::f32, .shape = {static_cast<int64_t>(kCount)}, .role = Role::output}};
  if (gpu != nullptr) {
    auto buffer = gpu->allocate({.name = "out", .type = DType::f32, .count = kCount});
    if (!buffer || !gpu->upload(**buffer, std::as_bytes(std::span(values)), false)) return nullptr;
    run->device_buffers = {*buffer};
  }
  HostBuffer copy(DType::f32, kCount);
  if (on_host) std::copy(values.begin(), values.end(), copy.as<float>().begin());
  run->buffers = {std::make_shared<const HostBuffer>(std::move(copy))};
  Correctness check;
  check.buffer = "out";
  check.checked = kCount;
  check.tolerance = {1e-3, 1e-3};
  check.expected = std::move(values);
  for (size_t i = 0; i < kCount; ++i)
    if (i / kRow % 7 == phase % 7) check.expected[i] += 1;
  run->correctness = {std::move(check)};
  return run;
}

constexpr ImU32 kFailing = IM_COL32(240, 112, 58, 255);

/// Every pixel of the error map: failing elements have the colour for failures, exact ones that of the scale's cold
/// end.
PixelCount check_error_map(const std::vector<ImU32>& got, const CellGrid& grid, uint32_t phase) {
  const int pixels = grid.gap > 0 ? grid.cell_pixels : 1;
  const size_t width = static_cast<size_t>(grid.columns) * static_cast<size_t>(pixels);
  PixelCount count{.all = got.size()};
  std::map<bool, ImU32> colour{{true, kFailing}};
  for (size_t i = 0; i < got.size(); ++i) {
    const int x = static_cast<int>(i % width), y = static_cast<int>(i / width);
    count.blank += got[i] == 0 ? 1 : 0;
    const auto elements = elements_of(grid, {x / pixels, y / pixels});
    const bool in_gap = std::max(x % pixels, y % pixels) >= pixels - grid.gap;
    if (!elements || (grid.gap > 0 && in_gap)) continue;
    bool fails = false;
    for (int64_t row = elements->first_row; row <= elements->last_row; ++row)
      for (int64_t column = elements->first_column; column <= elements->last_column; ++column)
        fails |= static_cast<size_t>(row * grid.row_length + column) / kRow % 7 == phase % 7;
    const auto known = colour.try_emplace(fails, got[i]).first;  // one colour for all passing elements
    count.wrong += got[i] != known->second || (!fails && got[i] == kFailing) || got[i] == 0 ? 1 : 0;
  }
  return count;
}

class Probe {
 public:
  explicit Probe(std::chrono::seconds limit) : watchdog_(limit) {}
  ~Probe() {
    if (trial_ > 0) kill_trial();
  }
  Probe(const Probe&) = delete;
  Probe& operator=(const Probe&) = delete;

  bool run(const std::string& step) {
    const size_t colon = step.find(':');
    const std::string name = step.substr(0, colon);
    const std::string argument = colon == std::string::npos ? "" : step.substr(colon + 1);
    const std::map<std::string, std::function<void(ProbeLine&)>> steps{
        {"window", [&](ProbeLine& line) { open_window(line, argument == "robust"); }},
        {"context", [&](ProbeLine&) { glfwMakeContextCurrent(windows_.at(number(argument))); }},
        {"texture", [](ProbeLine& line) { draw_texture(line); }},
        {"buffer", [&](ProbeLine& line) { draw_buffer(line, number(argument)); }},
        {"maps", [&](ProbeLine& line) { draw_copied(line); }},
        {"cuda", [&](ProbeLine& line) { open_cuda(line); }},
        {"ask",
         [&](ProbeLine& line) {
           line.result(Interop(gpu_result()).path() == Interop::Path::interop ? "this GPU" : "another");
         }},
        {"interop", [&](ProbeLine& line) { draw_through_interop(line); }},
        {"again", [&](ProbeLine& line) { draw_again(line); }},
        {"close", [&](ProbeLine&) { direct_.reset(); }},
        {"fault", [&](ProbeLine& line) { fault(line); }},
        {"trial", [&](ProbeLine& line) { start_trial(line); }},
        {"end", [&](ProbeLine& line) { await_trial(line); }},
        {"kill", [&](ProbeLine& line) { end_trial(line); }},
        {"wait", [&](ProbeLine&) { std::this_thread::sleep_for(std::chrono::seconds(number(argument))); }},
        {"line",
         [](ProbeLine&) {
           std::string ignored;
           std::getline(std::cin, ignored);
         }},
    };
    const auto found = steps.find(name);
    if (found == steps.end()) return false;
    watchdog_.step_begins();
    ProbeLine line(step);
    found->second(line);
    if (glfwGetCurrentContext() != nullptr && epoxy_has_gl_extension("GL_KHR_robustness"))
      if (const GLenum status = glGetGraphicsResetStatus(); status != GL_NO_ERROR)
        fmt::print(" [CONTEXT RESET {:x}]", status);
    return true;
  }

 private:
  static size_t number(const std::string& text) {
    size_t value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
  }
  Result<std::shared_ptr<Executor>> gpu_result() const {
    if (gpu_) return gpu_;
    return fail(ErrorId::no_gpu, "it was not asked for");
  }
  void open_window(ProbeLine& line, bool robust);
  void open_cuda(ProbeLine& line);
  void draw(ProbeLine& line, HeatMaps& maps, const std::shared_ptr<const RunResult>& run);
  void draw_copied(ProbeLine& line);
  void draw_through_interop(ProbeLine& line);
  void draw_again(ProbeLine& line);
  void fault(ProbeLine& line);
  void start_trial(ProbeLine& line);
  void await_trial(ProbeLine& line);
  void kill_trial();
  void end_trial(ProbeLine& line);

  Watchdog watchdog_;
  std::vector<GLFWwindow*> windows_;
  std::shared_ptr<Executor> gpu_;
  std::unique_ptr<HeatMaps> direct_;
  uint32_t phase_ = 0;
  pid_t trial_ = 0;
  Clock::time_point trial_began_;
};

void Probe::open_window(ProbeLine& line, bool robust) {
  line.part("open");
  glfwInit();
  glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
  glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
  glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
  glfwWindowHint(GLFW_VISIBLE, GLFW_FALSE);
  glfwWindowHint(GLFW_CONTEXT_ROBUSTNESS, robust ? GLFW_LOSE_CONTEXT_ON_RESET : GLFW_NO_ROBUSTNESS);
  GLFWwindow* window = glfwCreateWindow(64, 64, "Tilescope", nullptr, nullptr);
  const char* reason = nullptr;
  if (window == nullptr) glfwGetError(&reason);
  if (window == nullptr) return line.result(fmt::format("NO WINDOW: {}", reason != nullptr ? reason : "no reason"));
  glfwMakeContextCurrent(window);
  windows_.push_back(window);
  line.part("finish");
  glFinish();
  line.result(reinterpret_cast<const char*>(glGetString(GL_RENDERER)));
}

void Probe::open_cuda(ProbeLine& line) {
  line.part("open");
  auto gpu = open_gpu();
  if (!gpu) return line.result(gpu.error().message);
  gpu_ = *gpu;
  line.result(gpu_->device().name + ", driver " + gpu_->device().driver_version);
}

void Probe::draw(ProbeLine& line, HeatMaps& maps, const std::shared_ptr<const RunResult>& run) {
  if (!run) return line.result("NO RUN");
  const CellGrid grid = HeatMaps::fit(*run, 0, 800, 480, 1);
  for (const auto kind : {HeatMaps::Kind::value, HeatMaps::Kind::error}) {
    line.part(kind == HeatMaps::Kind::value ? "value" : "error");
    maps.draw({kind, 0, grid, kFailing, true}, run);
    line.part("finish");
    glFinish();
  }
  line.part("read");
  const auto values = maps.pixels(HeatMaps::Kind::value), errors = maps.pixels(HeatMaps::Kind::error);
  const bool blank = std::all_of(values.begin(), values.end(), [](ImU32 pixel) { return pixel == 0; });
  const bool plain = std::all_of(values.begin(), values.end(), [&](ImU32 pixel) { return pixel == values.front(); });
  line.part("compare");
  line.result(fmt::format("{}, values {}, errors {}",
                          maps.interop().path() == Interop::Path::copy ? "copied" : "interop",
                          blank   ? "BLANK"
                          : plain ? "ONE COLOUR"
                                  : "drawn",
                          check_error_map(errors, grid, phase_).text()));
}

void Probe::draw_copied(ProbeLine& line) {
  line.part("create");
  auto maps = HeatMaps::create(find_root() / "shaders", fail(ErrorId::no_gpu, "its pictures are copied"));
  if (!maps) return line.result(maps.error().message);
  draw(line, **maps, make_run(nullptr, ++phase_, true));
}

void Probe::draw_through_interop(ProbeLine& line) {
  line.part("create");
  if (!gpu_) return line.result("NO GPU");
  // As in the window while no kernel has faulted; afterwards as on a machine where the trial then fails.
  const auto trial = [first = true](const std::stop_token&) mutable -> std::optional<std::string> {
    return std::exchange(first, false) ? std::nullopt : std::optional<std::string>("the trial has failed");
  };
  auto maps = HeatMaps::create(find_root() / "shaders", gpu_result(), {trial, {}});
  if (!maps) return line.result(maps.error().message);
  direct_ = std::move(*maps);
  for (int i = 0; i < 100 && direct_->interop().reason() == Interop::Reason::trying; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    direct_->poll();
  }
  draw(line, *direct_, make_run(gpu_.get(), ++phase_, false));
}

void Probe::draw_again(ProbeLine& line) {
  if (!direct_) return line.result("NOTHING TO DRAW WITH");
  draw(line, *direct_, make_run(gpu_.get(), ++phase_, true));
}

void Probe::fault(ProbeLine& line) {
  if (!gpu_) return line.result("NO GPU");
  CompiledModule module;
  module.ptx =
      ".version 7.0\n.target sm_70\n.address_size 64\n"
      ".visible .entry fault()\n{\n  .reg .b64 %rd<2>;\n  .reg .b32 %r<2>;\n"
      "  mov.u64 %rd1, 16;\n  mov.u32 %r1, 7;\n  st.global.u32 [%rd1], %r1;\n  ret;\n}\n";
  line.part("launch");
  const Launch launch{.kernel = "fault", .grid = {1, 1, 1}, .block = {32, 1, 1}, .shared_bytes = 0, .arguments = {}};
  const auto report = gpu_->launch(module, launch, {}, {}, {});
  line.result(report ? "NO FAULT" : report.error().message);
}

void Probe::start_trial(ProbeLine& line) {
  const std::string program = tilescope_beside_this_program().string();
  std::vector<std::string> words{program, "interop-trial"};
  std::vector<char*> arguments{words[0].data(), words[1].data(), nullptr};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  const int status = posix_spawn(&trial_, program.c_str(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  trial_began_ = Clock::now();
  if (status != 0) trial_ = 0;
  line.result(status == 0 ? fmt::format("process {}", trial_) : std::strerror(status));
}

void Probe::await_trial(ProbeLine& line) {
  if (trial_ <= 0) return line.result("NOT STARTED");
  int status = 0;
  waitpid(trial_, &status, 0);
  trial_ = 0;
  line.result(fmt::format("ended {:.1f} s after its start, status {:x}",
                          std::chrono::duration<double>(Clock::now() - trial_began_).count(), status));
}

void Probe::kill_trial() {
  kill(trial_, SIGKILL);
  waitpid(trial_, nullptr, 0);
  trial_ = 0;
}

void Probe::end_trial(ProbeLine& line) {
  if (trial_ <= 0) return line.result("NOT STARTED");
  if (waitpid(trial_, nullptr, WNOHANG) == trial_) {
    trial_ = 0;
    return line.result("it had ended by itself");
  }
  line.part("gone");
  kill_trial();
}

}  // namespace
}  // namespace tilescope

int main(int count, char** words) {
  using namespace tilescope;
  std::vector<std::string> steps(words + 1, words + count);
  std::chrono::seconds limit(40);
  if (steps.size() >= 2 && steps[0] == "--limit") {
    limit = std::chrono::seconds(std::atoi(steps[1].c_str()));
    steps.erase(steps.begin(), steps.begin() + 2);
  }
  Probe probe(limit);
  for (const std::string& step : steps) {
    if (!probe.run(step)) {
      fmt::print(stderr, "picture_probe: no step '{}'\n", step);
      return 2;
    }
  }
  std::fflush(stdout);
  _exit(0);  // closing windows could block
}
