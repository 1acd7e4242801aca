#include "app/session/session_workers.hpp"

#include <exception>

#include "engine/run/show_launch.hpp"

namespace tilescope {

Session::RunWorker::RunWorker(std::shared_ptr<Engine> engine)
    : engine_(std::move(engine)), thread_([this](const std::stop_token& ending) { work(ending); }) {}

void Session::RunWorker::set_wake(std::function<void()> wake) {
  const std::lock_guard lock(mutex_);
  wake_ = std::move(wake);
}

void Session::RunWorker::submit(Request request, std::shared_ptr<const RunResult> known) {
  std::optional<std::stop_source> overtaken;
  {
    const std::lock_guard lock(mutex_);
    if (in_flight_) overtaken = in_flight_->stop;
    waiting_ = Job{std::move(request), Clock::now(), {}, std::move(known)};
    progress_ = {Progress::Phase::compile, 0};
  }
  if (overtaken) overtaken->request_stop();  // outside the lock: it calls the stop callbacks
  changed_.notify_one();
}

void Session::RunWorker::cancel() {
  std::optional<std::stop_source> stopped;
  {
    const std::lock_guard lock(mutex_);
    if (waiting_)  // it never starts, so its end is reported here
      finished_ = Finished{waiting_->request, fail(ErrorId::cancelled), 0, waiting_->submitted};
    waiting_.reset();
    if (in_flight_) stopped = in_flight_->stop;
  }
  if (stopped) stopped->request_stop();
}

bool Session::RunWorker::busy() const {
  const std::lock_guard lock(mutex_);
  return waiting_ || (in_flight_ && !in_flight_->stop.stop_requested());
}

double Session::RunWorker::busy_seconds() const {
  const std::lock_guard lock(mutex_);
  const Job* job = waiting_ ? &*waiting_ : in_flight_ ? &*in_flight_ : nullptr;
  return job == nullptr ? 0 : std::chrono::duration<double>(Clock::now() - job->submitted).count();
}

Progress Session::RunWorker::progress() const {
  const std::lock_guard lock(mutex_);
  return progress_;
}

std::optional<Session::RunWorker::Finished> Session::RunWorker::take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(finished_, std::nullopt);
}

void Session::RunWorker::wake() {
  const std::lock_guard lock(mutex_);
  last_wake_ = Clock::now();
  if (wake_) wake_();
}

void Session::RunWorker::report(const Progress& progress) {
  bool due = false;
  {
    const std::lock_guard lock(mutex_);
    if (waiting_) return;  // a newer run has replaced this one
    progress_ = progress;
    due = Clock::now() - last_wake_ > std::chrono::milliseconds(50);
  }
  if (due) wake();
}

Result<std::shared_ptr<const RunResult>> Session::RunWorker::run(const Job& job) {
  // Whatever goes wrong in a run ends as a sentence in the window, never as the end of the program.
  try {
    if (job.known) return std::make_shared<const RunResult>(show_launch(*job.known, job.request));
    auto result = engine_->run(job.request, job.stop.get_token(), [this](const Progress& now) { report(now); });
    if (!result) return tl::unexpected(result.error());
    return std::make_shared<const RunResult>(std::move(*result));
  } catch (const std::exception& error) {
    return fail(ErrorId::run_broke_off, error.what());
  }
}

void Session::RunWorker::work(const std::stop_token& ending) {
  const std::stop_callback on_end(ending, [this] { cancel(); });
  while (!ending.stop_requested()) {
    Job job;
    {
      std::unique_lock lock(mutex_);
      if (!changed_.wait(lock, ending, [this] { return waiting_.has_value(); })) return;
      job = *waiting_;
      in_flight_ = std::move(waiting_);
      waiting_.reset();
    }
    auto outcome = run(job);
    const double latency = std::chrono::duration<double, std::milli>(Clock::now() - job.submitted).count();
    {
      const std::lock_guard lock(mutex_);
      in_flight_.reset();
      const bool overtaken = waiting_.has_value();
      if (!overtaken) finished_ = Finished{std::move(job.request), std::move(outcome), latency, job.submitted};
    }
    wake();
  }
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
    // An engine of its own: a sweep takes minutes, and runs go on meanwhile.
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
