// The thread that records steps for the step view: the newest wish wins, and what it recorded last is kept.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "engine/run/record_steps.hpp"

namespace tilescope {

/// What the step view wants to go through: a part of one block of a finished run.
struct StepWish {
  std::shared_ptr<const RunResult> result;
  size_t launch = 0;
  StepWindow window;
  bool operator==(const StepWish& other) const {
    return result == other.result && launch == other.launch && window == other.window;
  }
};

class StepWorker {
 public:
  StepWorker();
  ~StepWorker();

  void set_wake(std::function<void()> wake);
  /// Called in every frame in which steps are shown; begins at most one recording for the same wish.
  void want(const StepWish& wish);
  /// Nobody looks at steps: whatever is under way is given up, and results are let go.
  void forget();

  bool busy() const;
  /// The record of the last wish; null until it is there.
  std::shared_ptr<const StepRecord> record(const StepWish& wish) const;
  /// Why there is none.
  std::optional<Error> error(const StepWish& wish) const;

 private:
  void work(const std::stop_token& ending);

  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  std::optional<StepWish> wanted_;   // the newest; stays while its record is shown
  std::optional<StepWish> waiting_;  // not begun yet
  std::optional<StepWish> under_way_;
  std::stop_source stop_;
  std::optional<StepWish> done_;
  Result<std::shared_ptr<const StepRecord>> outcome_ = nullptr;
  std::function<void()> wake_;
  std::jthread thread_;  // last: ends before what it uses
};

}  // namespace tilescope
