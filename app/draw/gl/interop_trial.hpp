// Tests in another process whether CUDA-OpenGL interop works here.
//
// A driver may accept every call and yet deliver no data, and block the first OpenGL command that needs the bytes for
// many seconds: this happens after a kernel has faulted in any process, until the machine restarts. The window cannot
// test that itself. A child (`tilescope interop-trial`) draws the same heat maps through interop and through host
// memory, and compares them. If it finds that interop does not work, InteropRecord keeps later processes from trying.
//
//     InteropTrial trial(trial_in_child(program), faults, [] { glfwPostEmptyEvent(); });
//     trial.poll(faults) == InteropTrial::State::good     // once a frame
//
//                 answer: it works
//      trying ───────────────────────▶ good
//        │  │                            │
//        │  └──── a kernel has faulted ──┴──▶ faulted    final: no trial may run beside a window that has to draw
//        ▼
//      failed    answer: the reason. Final: a fault repairs nothing
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <future>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>

#include "engine/gpu/interop_record.hpp"

namespace tilescope {

class InteropTrial {
 public:
  /// Runs one trial: nothing if interop works, else the reason why not. Called on a separate thread; ends soon after a
  /// stop request.
  using Procedure = std::function<std::optional<std::string>(std::stop_token)>;
  enum class State { trying, good, failed, faulted };

  /// Starts the trial. `faults`: number of kernel faults so far. `wake` is called on another thread when poll() has an
  /// answer to take over.
  InteropTrial(Procedure procedure, uint64_t faults, std::function<void()> wake);

  /// Takes the answer over, unless kernels have faulted since the trial began. Never waits.
  State poll(uint64_t faults);
  State state() const { return state_; }
  /// The value given to the last poll().
  uint64_t faults() const { return faults_; }
  /// Why interop does not work; empty unless failed.
  const std::string& why_not() const { return why_not_; }

 private:
  State state_ = State::trying;
  std::string why_not_;
  uint64_t faults_;
  std::future<std::optional<std::string>> answer_;
  std::jthread thread_;
};

/// The line that the child prints if interop works; any other line is the reason why not.
inline constexpr const char* kInteropWorks = "interop works";

/// The trial made by `program interop-trial`. If it does not answer in time, it is killed and counts as failed. A start
/// without an answer is noted in the record; the child notes all other results itself.
InteropTrial::Procedure trial_in_child(std::filesystem::path program, InteropRecord record = {},
                                       std::chrono::milliseconds patience = std::chrono::seconds(8));

/// The program itself; also found from the tests, which are in the same folder.
std::filesystem::path tilescope_beside_this_program();

}  // namespace tilescope
