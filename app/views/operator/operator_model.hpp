// What the operator view shows, without ImGui: the exported files of each way, the recordings, and a measurement or an
// export that runs beside the window.
#pragma once

#include <atomic>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "engine/run/engine.hpp"
#include "engine/torch_operator/operator_folder.hpp"
#include "engine/torch_operator/operator_recording.hpp"

namespace tilescope {

/// Whether the lab has operators at all.
bool is_exported_lab(const std::string& lab);

/// The lines that register or launch: those a reader looks for.
bool is_operator_line(std::string_view line);

/// A task on a thread of its own, at most one at a time. Its destructor waits for the task's end, after a stop request.
template <class T>
class OperatorTask {
 public:
  template <class Work>
  void start(Work work) {
    done_ = false;
    running_ = true;
    thread_ = std::jthread([this, work = std::move(work)](std::stop_token stop) {
      auto result = work(stop);
      const std::scoped_lock lock(mutex_);
      result_ = std::move(result);
      done_ = true;
    });
  }
  bool running() const { return running_; }
  /// The result of a task that has ended, once.
  std::optional<Result<T>> poll() {
    if (!running_ || !done_) return std::nullopt;
    thread_.join();
    running_ = false;
    const std::scoped_lock lock(mutex_);
    auto result = std::move(result_);
    result_.reset();
    return result;
  }
  void stop() { thread_.request_stop(); }

 private:
  std::mutex mutex_;
  std::optional<Result<T>> result_;
  std::atomic<bool> done_ = false;
  bool running_ = false;
  std::jthread thread_;
};

/// The folder of the chosen way at the present settings, made on a thread: the last one stays until the next is there.
class OperatorFiles {
 public:
  /// Returns whether a newer folder, or the reason why there is none, has been taken. The edited text of the rung's
  /// file is exported as it is.
  bool take(const Engine& engine, const Request& request, OperatorWay way);
  const OperatorFolder* folder() const { return folder_ ? &*folder_ : nullptr; }
  const std::optional<Error>& problem() const { return problem_; }
  bool pending() const { return task_.running(); }
  /// Names of the files, the one of the operator first.
  std::vector<std::string> names() const;

 private:
  std::optional<Request> request_;
  OperatorWay way_ = OperatorWay::custom_op;
  std::optional<OperatorFolder> folder_;
  std::optional<Error> problem_;
  OperatorTask<OperatorFolder> task_;
};

/// Where an export goes if nothing is typed: a folder of the lab's name in the working directory.
std::string usual_export_folder(const Request& request, OperatorWay way);

}  // namespace tilescope
