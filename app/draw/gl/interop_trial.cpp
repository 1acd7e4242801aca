#include "app/draw/gl/interop_trial.hpp"

#include <system_error>
#include <utility>

#include "engine/child_process.hpp"

namespace tilescope {

InteropTrial::InteropTrial(Procedure procedure, uint64_t faults, std::function<void()> wake) : faults_(faults) {
  std::promise<std::optional<std::string>> promise;
  answer_ = promise.get_future();
  thread_ = std::jthread([procedure = std::move(procedure), wake = std::move(wake),
                          promise = std::move(promise)](const std::stop_token& stop) mutable {
    promise.set_value(procedure(stop));
    if (wake) wake();
  });
}

InteropTrial::State InteropTrial::poll(uint64_t faults) {
  const bool faulted = std::exchange(faults_, faults) != faults;
  if (faulted && state_ != State::failed) {
    state_ = State::faulted;
    thread_.request_stop();
  }
  if (state_ != State::trying || answer_.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return state_;
  std::optional<std::string> reason = answer_.get();
  state_ = reason ? State::failed : State::good;
  why_not_ = std::move(reason).value_or("");
  return state_;
}

InteropTrial::Procedure trial_in_child(std::filesystem::path program, InteropRecord record,
                                       std::chrono::milliseconds patience) {
  return [program = std::move(program), record = std::move(record),
          patience](std::stop_token stop) -> std::optional<std::string> {
    auto child = ChildProcess::start({program.string(), "interop-trial"});
    if (!child) return child.error().reason.english();
    const auto answer = (*child)->ask("", patience, std::move(stop));
    if (!answer) {
      if (!answer.error().cancelled) record.note();
      return answer.error().reason.english();
    }
    if (*answer == kInteropWorks) return std::nullopt;
    return answer->empty() ? "it gave no reason" : *answer;
  };
}

std::filesystem::path tilescope_beside_this_program() {
  std::error_code error;
  return std::filesystem::read_symlink("/proc/self/exe", error).parent_path() / "tilescope";
}

}  // namespace tilescope
