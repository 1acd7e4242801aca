// Whether CUDA-OpenGL interop works here, tried out in another process.
//
// A driver may accept every call of it and yet bring nothing, and let the first OpenGL command that needs the bytes
// wait for many seconds: so it is after a kernel has faulted in any process, until the machine starts again. The window
// cannot try that out itself. A child (`tilescope interop-trial`) draws the same heat maps through interop and through
// host memory, and compares them. Where it finds that interop does not work, InteropRecord keeps later processes from
// trying.
//
//     InteropTrial trial(trial_in_child(program), faults, [] { glfwPostEmptyEvent(); });
//     trial.poll(faults) == InteropTrial::State::good     // once a frame
//
//                 answer: it works
//      trying ───────────────────────▶ good
//        │  │                            │
//        │  └──── a kernel has faulted ──┴──▶ faulted    to the end: no trial runs beside a window that has to draw
//        ▼
//      failed    answer: why it does not work. To the end: a fault mends nothing
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
  /// Makes one trial: nothing if interop works, else why it does not. Called on a thread of its own; ends soon after a
  /// stop request.
  using Procedure = std::function<std::optional<std::string>(std::stop_token)>;
  enum class State { trying, good, failed, faulted };

  /// Starts the trial. `faults`: kernels that have faulted so far. `wake` is called, on another thread, when
  /// there is an answer for poll() to take over.
  InteropTrial(Procedure procedure, uint64_t faults, std::function<void()> wake);

  /// Takes the answer over, unless kernels have faulted since the trial began. Never waits.
  State poll(uint64_t faults);
  State state() const { return state_; }
  /// As given to the last poll().
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

/// The child's one line when interop works; any other is the reason why not.
inline constexpr const char* kInteropWorks = "interop works";

/// The trial that `program interop-trial` makes. One that does not answer in time is ended, and has failed. That it was
/// started and gave no answer is noted in the record; what else there is to note the program knows better.
InteropTrial::Procedure trial_in_child(std::filesystem::path program, InteropRecord record = {},
                                       std::chrono::milliseconds patience = std::chrono::seconds(8));

/// The program itself: also for tests, which lie beside it.
std::filesystem::path tilescope_beside_this_program();

}  // namespace tilescope
