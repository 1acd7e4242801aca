#include "engine/compile/nvrtc_process.hpp"

#include <chrono>
#include <system_error>
#include <utility>

#include "engine/compile/nvrtc_protocol.hpp"

namespace tilescope {
namespace {

using namespace std::chrono_literals;

constexpr auto kTimeout = 15min;  // longer than any compilation that a user would wait for
constexpr auto kGrace = 500ms;    // time for NVRTC to stop when asked; a new process costs less than a long wait
/// One for the PTX and one for the cubin of a request.
constexpr size_t kMostIdle = 2;
constexpr size_t kLongestAnswer = size_t{1} << 29;  // PTX and cubin of all instances of a large library
/// NVRTC keeps some of the memory that it allocates. A process that has grown beyond this is not reused.
constexpr uint64_t kMostIdleBytes = uint64_t{160} << 20;

NvrtcOutput failed(Phrase reason) {
  NvrtcOutput output;
  output.result = NVRTC_ERROR_INTERNAL_ERROR;
  output.failure = std::move(reason);
  return output;
}

}  // namespace

std::filesystem::path NvrtcProcesses::worker_beside_this_program() {
  std::error_code error;
  return std::filesystem::read_symlink("/proc/self/exe", error).parent_path() / "tilescope-worker";
}

NvrtcProcesses::NvrtcProcesses(std::shared_ptr<const NvrtcLibrary> library, std::filesystem::path worker)
    : library_(std::move(library)), worker_(std::move(worker)) {
  std::error_code error;
  if (is_hidden_library("worker") || !std::filesystem::exists(worker_, error)) worker_.clear();
}

std::unique_ptr<ChildProcess> NvrtcProcesses::take_idle() {
  const std::scoped_lock lock(mutex_);
  while (!idle_.empty()) {
    auto child = std::move(idle_.back());
    idle_.pop_back();
    if (!child->has_ended()) return child;
  }
  return nullptr;
}

void NvrtcProcesses::give_back(std::unique_ptr<ChildProcess> child) {
  const std::scoped_lock lock(mutex_);
  if (child->alive() && idle_.size() < kMostIdle && child->resident_bytes() <= kMostIdleBytes)
    idle_.push_back(std::move(child));
}

NvrtcOutput NvrtcProcesses::run(const NvrtcInput& input, const std::stop_token& stop) {
  if (!separate()) return run_nvrtc(*library_, input, stop);
  const uint64_t number = ++number_;
  auto child = take_idle();
  if (!child) {
    auto started = ChildProcess::start({worker_.string(), "compile"});
    if (!started) return failed(started.error().reason);
    child = std::move(*started);
    child->set_longest_line(kLongestAnswer);
  }
  auto line = child->ask(line_of(NvrtcQuestion{number, input}), kTimeout, stop, kGrace, stop_line_of(number));
  if (!line) return failed(line.error().reason);
  auto output = output_in(*line);
  if (!output) return failed(Phrase("its answer cannot be read"));
  give_back(std::move(child));
  return std::move(*output);
}

}  // namespace tilescope
