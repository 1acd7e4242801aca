// The thread that tunes a rung, or compiles its space, with an engine of its own: runs continue meanwhile.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "engine/tune/tuning.hpp"

namespace tilescope {

/// What is known so far.
struct TuneSnapshot {
  SpaceRequest space;
  TuneMap map;
  std::vector<SearchStep> steps;  // indices into the map's entries
  SearchKind kind = SearchKind::exhaustive;
  size_t done = 0, of = 0;
  bool timed = false;   // false: only compiled
  bool finals = false;  // the finalists are timed again
};

class TuneWorker {
 public:
  explicit TuneWorker(std::filesystem::path root) : root_(std::move(root)) {}

  void set_wake(std::function<void()> wake);
  /// Tunes on the GPU. Ignored while something is running.
  void start(TuneRequest request);
  /// Compiles every possible configuration. Ignored likewise.
  void compile(SpaceRequest space);
  void cancel() { thread_.request_stop(); }
  bool running() const { return running_; }
  /// What the work in flight, or the last one, has found; null before the first.
  std::shared_ptr<const TuneSnapshot> snapshot() const;
  /// Why the last work ended without a result; nothing while one runs, or if it was stopped.
  std::optional<Error> error() const;

 private:
  using Work = std::function<Result<void>(Engine& engine, const std::stop_token& stop)>;
  void begin(Work work);
  void keep(TuneSnapshot snapshot);
  Result<void> tune_on_gpu(Engine& engine, const TuneRequest& request, const std::stop_token& stop);
  Result<void> compile_all(Engine& engine, const SpaceRequest& space, const std::stop_token& stop);

  std::filesystem::path root_;
  mutable std::mutex mutex_;
  std::shared_ptr<const TuneSnapshot> snapshot_;
  std::optional<Error> error_;
  std::atomic<bool> running_ = false;
  std::function<void()> wake_;
  std::jthread thread_;
};

}  // namespace tilescope
