#include "app/session/session_workers.hpp"

#include <exception>

#include "engine/run/show_launch.hpp"

namespace tilescope {

bool Session::RunWorker::Noted::note(const Progress& now) {
  constexpr std::chrono::milliseconds kBetweenWakes(50);
  const std::lock_guard lock(mutex);
  progress = now;
  const auto time = RunWish::Clock::now();
  if (time - last_wake <= kBetweenWakes) return false;
  last_wake = time;
  return true;
}

Session::RunWorker::RunWorker(std::shared_ptr<Engine> engine, std::shared_ptr<Noted> noted)
    : NewestWish(
          [this, engine = std::move(engine), noted](const RunWish& wish, const std::stop_token& stop) -> Outcome {
            if (wish.known) return std::make_shared<const RunResult>(show_launch(*wish.known, wish.request));
            auto result = engine->run(wish.request, stop, [&](const Progress& now) {
              if (!stop.stop_requested() && noted->note(now)) wake();
            });
            if (!result) return forward(result);
            return std::make_shared<const RunResult>(std::move(*result));
          }),
      noted_(std::move(noted)) {}

void Session::RunWorker::submit(Request request, std::shared_ptr<const RunResult> known) {
  {
    const std::lock_guard lock(noted_->mutex);
    noted_->progress = {Progress::Phase::compile, 0};
  }
  want({++submissions_, std::move(request), std::move(known), RunWish::Clock::now()});
}

double Session::RunWorker::busy_seconds() const {
  const auto wish = current();
  return wish ? std::chrono::duration<double>(RunWish::Clock::now() - wish->submitted).count() : 0;
}

Progress Session::RunWorker::progress() const {
  const std::lock_guard lock(noted_->mutex);
  return noted_->progress;
}

void Session::BenchWorker::set_wake(std::function<void()> wake) {
  const std::lock_guard lock(mutex_);
  wake_ = std::move(wake);
}

void Session::BenchWorker::start(BenchRequest request) {
  if (running_) return;
  running_ = true;
  fraction_ = 0;
  thread_ = std::jthread([this, request = std::move(request)](const std::stop_token& stop) {
    work(request, stop);
    running_ = false;
    const std::lock_guard lock(mutex_);
    if (wake_) wake_();
  });
}

void Session::BenchWorker::cancel() { thread_.request_stop(); }

void Session::BenchWorker::work(const BenchRequest& request, const std::stop_token& stop) {
  const auto keep = [this](const SpeedReport& so_far, double fraction) {
    auto copy = std::make_shared<const SpeedReport>(so_far);
    fraction_ = fraction;
    const std::lock_guard lock(mutex_);
    report_ = std::move(copy);
    if (wake_) wake_();
  };
  std::optional<Error> failed;
  try {
    // A separate engine: a sweep takes minutes, and runs continue meanwhile.
    const auto engine = Engine::open({.root = root_, .cache_folder = {}, .simulator_threads = 1});
    auto report = bench(*engine, request, stop, keep);
    if (report)
      keep(*report, 1);
    else
      failed = report.error();
  } catch (const std::exception& error) {
    failed = make_error(ErrorId::run_broke_off, error.what());
  }
  const std::lock_guard lock(mutex_);
  error_ = std::move(failed);
}

std::shared_ptr<const SpeedReport> Session::BenchWorker::take_report() {
  const std::lock_guard lock(mutex_);
  return std::exchange(report_, nullptr);
}

std::optional<Error> Session::BenchWorker::take_error() {
  const std::lock_guard lock(mutex_);
  return std::exchange(error_, std::nullopt);
}

}  // namespace tilescope
