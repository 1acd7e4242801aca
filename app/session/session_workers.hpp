// Two of the threads behind a Session. RunWorker holds at most one queued job and one in flight; a newer job replaces
// the queued one and stops the one in flight. BenchWorker runs one sweep at a time.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

#include "app/session/session.hpp"

namespace tilescope {

class Session::RunWorker {
 public:
  using Clock = std::chrono::steady_clock;
  struct Finished {
    Request request;
    Result<std::shared_ptr<const RunResult>> outcome;
    double latency_ms = 0;  // from submit to the end of the run
    Clock::time_point submitted;
  };

  explicit RunWorker(std::shared_ptr<Engine> engine);

  void set_wake(std::function<void()> wake);
  /// `known`: a result of a request that differs in the shown launch alone; nothing is run again then.
  void submit(Request request, std::shared_ptr<const RunResult> known = nullptr);
  void cancel();
  bool busy() const;
  double busy_seconds() const;
  Progress progress() const;
  std::optional<Finished> take();

 private:
  struct Job {
    Request request;
    Clock::time_point submitted;
    std::stop_source stop;
    std::shared_ptr<const RunResult> known;
  };
  void work(const std::stop_token& ending);
  Result<std::shared_ptr<const RunResult>> run(const Job& job);
  void report(const Progress& progress);
  void wake();

  std::shared_ptr<Engine> engine_;
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  std::optional<Job> waiting_, in_flight_;
  std::optional<Finished> finished_;
  Progress progress_{Progress::Phase::compile, 0};
  Clock::time_point last_wake_;
  std::function<void()> wake_;
  std::jthread thread_;  // last: ends before what it uses
};

class Session::BenchWorker {
 public:
  explicit BenchWorker(std::filesystem::path root) : root_(std::move(root)) {}

  void set_wake(std::function<void()> wake);
  /// Ignored while one is running.
  void start(BenchRequest request);
  void cancel();
  bool running() const { return running_; }
  double fraction() const { return fraction_; }
  std::shared_ptr<const SpeedReport> take_report();
  std::optional<Error> take_error();

 private:
  void work(const BenchRequest& request, const std::stop_token& stop);

  std::filesystem::path root_;
  mutable std::mutex mutex_;
  std::shared_ptr<const SpeedReport> report_;
  std::optional<Error> error_;
  std::atomic<bool> running_ = false;
  std::atomic<double> fraction_ = 0;
  std::function<void()> wake_;
  std::jthread thread_;
};

}  // namespace tilescope
