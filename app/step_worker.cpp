#include "app/step_worker.hpp"

#include <exception>

#include "engine/sim/simulator.hpp"

namespace tilescope {

StepWorker::StepWorker() : thread_([this](const std::stop_token& ending) { work(ending); }) {}
StepWorker::~StepWorker() { forget(); }

void StepWorker::set_wake(std::function<void()> wake) {
  const std::lock_guard lock(mutex_);
  wake_ = std::move(wake);
}

void StepWorker::want(const StepWish& wish) {
  std::optional<std::stop_source> overtaken;
  {
    const std::lock_guard lock(mutex_);
    if (wanted_ && *wanted_ == wish) return;
    wanted_ = waiting_ = wish;
    if (under_way_) overtaken = stop_;
  }
  if (overtaken) overtaken->request_stop();  // outside the lock: it runs the callbacks of whoever waits for the stop
  changed_.notify_one();
}

void StepWorker::forget() {
  std::optional<std::stop_source> stopped;
  {
    const std::lock_guard lock(mutex_);
    wanted_.reset();
    waiting_.reset();
    done_.reset();
    outcome_ = nullptr;
    if (under_way_) stopped = stop_;
  }
  if (stopped) stopped->request_stop();
}

bool StepWorker::busy() const {
  const std::lock_guard lock(mutex_);
  return waiting_ || (under_way_ && wanted_);
}

std::shared_ptr<const StepRecord> StepWorker::record(const StepWish& wish) const {
  const std::lock_guard lock(mutex_);
  return done_ && *done_ == wish && outcome_ ? *outcome_ : nullptr;
}

std::optional<Error> StepWorker::error(const StepWish& wish) const {
  const std::lock_guard lock(mutex_);
  if (!done_ || !(*done_ == wish) || outcome_) return {};
  return outcome_.error();
}

void StepWorker::work(const std::stop_token& ending) {
  const std::stop_callback on_end(ending, [this] { forget(); });
  // A simulator of its own: runs go on meanwhile, and what they leave in a module's variables is not disturbed.
  const std::unique_ptr<Executor> simulator = make_simulator(1);
  while (!ending.stop_requested()) {
    StepWish wish;
    std::stop_token stop;
    {
      std::unique_lock lock(mutex_);
      if (!changed_.wait(lock, ending, [this] { return waiting_.has_value(); })) return;
      wish = *waiting_;
      under_way_ = std::move(waiting_);
      waiting_.reset();
      stop_ = std::stop_source();
      stop = stop_.get_token();
    }
    Result<std::shared_ptr<const StepRecord>> outcome = nullptr;
    // Whatever goes wrong ends as a sentence in the window, never as the end of the program.
    try {
      outcome = record_steps(*wish.result, wish.launch, wish.window, *simulator, stop);
    } catch (const std::exception& error) {
      outcome = fail(ErrorId::run_broke_off, error.what());
    }
    const std::lock_guard lock(mutex_);
    under_way_.reset();
    if (wanted_ && *wanted_ == wish) {
      done_ = std::move(wish);
      outcome_ = std::move(outcome);
    }
    if (wake_) wake_();
  }
}

}  // namespace tilescope
