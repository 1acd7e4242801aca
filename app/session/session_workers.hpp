// Two of the threads behind a Session: RunWorker runs the newest request, BenchWorker one sweep at a time.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "app/session/newest_wish.hpp"
#include "app/session/session.hpp"

namespace tilescope {

/// One press of Run: each is a separate wish, even if the request is the same.
struct RunWish {
  using Clock = std::chrono::steady_clock;
  uint64_t number = 0;
  Request request;
  std::shared_ptr<const RunResult> known;  // result of a request that differs only in the shown launch: nothing is run
                                           // again
  Clock::time_point submitted;
  bool operator==(const RunWish& other) const { return number == other.number; }
};

class Session::RunWorker : public NewestWish<RunWish, RunResult> {
 public:
  explicit RunWorker(std::shared_ptr<Engine> engine) : RunWorker(std::move(engine), std::make_shared<Noted>()) {}

  void submit(Request request, std::shared_ptr<const RunResult> known = nullptr);
  double busy_seconds() const;
  Progress progress() const;

 private:
  /// Progress of the newest run. Shared with the thread, which may outlive this object briefly.
  struct Noted {
    std::mutex mutex;
    Progress progress{Progress::Phase::compile, 0};
    RunWish::Clock::time_point last_wake;
    bool note(const Progress& now);  // returns whether to wake the window
  };
  RunWorker(std::shared_ptr<Engine> engine, std::shared_ptr<Noted> noted);

  std::shared_ptr<Noted> noted_;
  uint64_t submissions_ = 0;
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
