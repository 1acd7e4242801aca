#include "app/fusion_worker.hpp"

#include <exception>
#include <utility>

namespace tilescope {

FusionWorker::FusionWorker(std::filesystem::path root)
    : root_(std::move(root)), thread_([this](const std::stop_token& ending) { work(ending); }) {}
FusionWorker::~FusionWorker() { give_up(); }

void FusionWorker::set_wake(std::function<void()> wake) {
  const std::lock_guard lock(mutex_);
  wake_ = std::move(wake);
}

void FusionWorker::want(const FusionWish& wish) {
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

void FusionWorker::give_up() {
  std::optional<std::stop_source> stopped;
  {
    const std::lock_guard lock(mutex_);
    wanted_.reset();
    waiting_.reset();
    if (under_way_) stopped = stop_;
  }
  if (stopped) stopped->request_stop();
}

bool FusionWorker::busy() const {
  const std::lock_guard lock(mutex_);
  return waiting_ || (under_way_ && wanted_);
}

std::shared_ptr<const FusionAccount> FusionWorker::account(const FusionWish& wish) const {
  const std::lock_guard lock(mutex_);
  return done_ && *done_ == wish && outcome_ ? *outcome_ : nullptr;
}

std::optional<Error> FusionWorker::error(const FusionWish& wish) const {
  const std::lock_guard lock(mutex_);
  if (!done_ || !(*done_ == wish) || outcome_) return {};
  return outcome_.error();
}

void FusionWorker::work(const std::stop_token& ending) {
  const std::stop_callback on_end(ending, [this] { give_up(); });
  std::shared_ptr<Engine> engine;  // of its own: runs go on meanwhile
  while (!ending.stop_requested()) {
    FusionWish wish;
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
    Outcome outcome = nullptr;
    // Whatever goes wrong ends as a sentence in the window, never as the end of the program.
    try {
      if (!engine) engine = Engine::open({.root = root_, .cache_folder = {}, .simulator_threads = 1});
      auto account = account_fusion(*engine, *wish.lab, wish.config, wish.gpu, stop);
      if (account)
        outcome = std::make_shared<const FusionAccount>(std::move(*account));
      else
        outcome = tl::unexpected<Error>(account.error());
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
