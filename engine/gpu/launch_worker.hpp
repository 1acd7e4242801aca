// Runs kernels in a separate process, over buffers of this one.
//
// A kernel that faults ends all use of the GPU by its process, and a kernel that loops forever ends only with its
// process. So the program allocates, fills, reads and draws the buffers, and a worker process (tilescope-worker, beside
// the program) maps them and launches. When a kernel faults or is cancelled, the worker exits and the next launch
// starts a new one; the program and its buffers survive.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <span>
#include <stop_token>
#include <string>

#include "engine/child_process.hpp"
#include "engine/executor.hpp"
#include "engine/gpu/context.hpp"
#include "engine/gpu/launch_protocol.hpp"
#include "engine/gpu/timing_method.hpp"
#include "engine/phrase.hpp"
#include "engine/plan.hpp"

namespace tilescope {

/// The program's side.
class LaunchWorker {
 public:
  explicit LaunchWorker(std::filesystem::path program) : program_(std::move(program)) {}
  /// tilescope-worker in the folder of the running program.
  static std::filesystem::path beside_this_program();

  /// Starts the process without waiting, so that it is ready for the first launch.
  void start();
  /// Why no worker can run; empty if it can. Without one, kernels run in the process itself.
  Phrase unusable() const;
  /// Workers that ended while running a kernel: it faulted, or was stopped. Never waits for a launch.
  uint64_t faults() const { return faults_.load(std::memory_order_acquire); }

  /// One launch: its device time in milliseconds, and what the kernel printed.
  Result<LaunchReport> run(const CompiledModule& module, const Launch& launch,
                           std::span<const std::shared_ptr<DeviceBuffer>> buffers, std::stop_token stop);
  Result<QuickTiming> time(const CompiledModule& module, std::span<const Launch> launches,
                           std::span<const std::shared_ptr<DeviceBuffer>> buffers, bool spare_contents,
                           std::stop_token stop);

 private:
  struct Call;
  Result<LaunchAnswer> ask(Call call, std::stop_token stop);
  void start_locked();
  bool greet_locked(std::stop_token stop);

  std::filesystem::path program_;
  std::atomic<uint64_t> faults_{0};
  mutable std::mutex mutex_;  // guards the members below
  std::unique_ptr<ChildProcess> child_;
  bool greeted_ = false;
  Phrase unusable_;
};

/// The worker's side: answers requests on standard input until it ends or a kernel poisons the context. Returns the
/// exit status.
int serve_launches();

}  // namespace tilescope
