#include "engine/gpu/launch_worker.hpp"

#include <chrono>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "engine/compile/kernel_names.hpp"
#include "engine/gpu/launch_protocol.hpp"
#include "engine/gpu/module.hpp"
#include "engine/json_text.hpp"

namespace tilescope {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;

constexpr auto kGreetingTimeout = 30s;            // creating a CUDA context
constexpr auto kLaunchTimeout = 24h;              // as long as the user is patient; a stop request ends it
constexpr auto kGrace = std::chrono::seconds(1);  // if a launch ends this soon after a stop request, the worker
                                                  // survives

/// The worker's reason for refusing, from its answer.
Phrase reason_in(const json& answer) {
  const auto refused = answer_from_json(answer);
  return refused ? Phrase("its answer cannot be read") : refused.error().what;
}

}  // namespace

/// A request to the worker, by reference.
struct LaunchWorker::Call {
  LaunchRequest::Kind kind;
  const CompiledModule& module;
  std::span<const Launch> launches;
  std::span<const std::shared_ptr<DeviceBuffer>> buffers;
  bool spare_contents;
};

std::filesystem::path LaunchWorker::beside_this_program() {
  std::error_code error;
  return std::filesystem::read_symlink("/proc/self/exe", error).parent_path() / "tilescope-worker";
}

void LaunchWorker::start() {
  std::scoped_lock lock(mutex_);
  start_locked();
}

Phrase LaunchWorker::unusable() const {
  std::scoped_lock lock(mutex_);
  return unusable_;
}

void LaunchWorker::start_locked() {
  if (child_ && child_->alive()) return;
  if (!unusable_.empty()) return;
  child_.reset();
  greeted_ = false;
  auto started = ChildProcess::start({program_.string()});
  if (started) {
    child_ = std::move(*started);
  } else {
    unusable_ = started.error().reason;
  }
}

/// Waits for the worker's context. A worker that cannot create one is not tried again.
bool LaunchWorker::greet_locked(std::stop_token stop) {
  if (greeted_) return true;
  auto line = child_->ask("{}", kGreetingTimeout, stop, kGreetingTimeout);
  if (!line) {
    unusable_ = line.error().reason;
    return false;
  }
  const json answer = json_from(*line);
  greeted_ = answer.is_object() && answer.value("ready", false);
  if (!greeted_) unusable_ = reason_in(answer);
  return greeted_;
}

Result<LaunchAnswer> LaunchWorker::ask(Call call, std::stop_token stop) {
  for (const Launch& launch : call.launches) {
    if (auto ok = check_arguments(call.module, launch); !ok) return forward(ok);
  }
  LaunchRequest request{.kind = call.kind, .spare_contents = call.spare_contents};
  request.module.cubin = call.module.cubin;
  request.module.ptx = call.module.ptx;
  request.launches.assign(call.launches.begin(), call.launches.end());
  const Phrase what = phrase("kernel '{}'", kernel_name(call.launches.front().kernel));

  std::scoped_lock lock(mutex_);
  for (const auto& buffer : call.buffers) {
    auto handle = dynamic_cast<const GpuMemory&>(*buffer).export_handle();
    if (!handle) {
      unusable_ = handle.error().what;
      return forward(handle);
    }
    request.handles.push_back(*handle);
    request.bytes.push_back(buffer->bytes());
  }
  start_locked();
  if (!unusable_.empty() || !greet_locked(stop)) return fail(ErrorId::cuda_failed, what, unusable_);
  auto line = child_->ask(json_text(to_json(request)), kLaunchTimeout, stop, kGrace);
  if (!line) {
    faults_.fetch_add(1, std::memory_order_acq_rel);
    child_.reset();
    start_locked();
    if (line.error().cancelled) return fail(ErrorId::cancelled);
    return fail(ErrorId::cuda_failed, what, phrase("its process failed: {}", line.error().reason));
  }
  const json answer = json_from(*line);
  if (answer.is_object() && answer.value("lost", false)) {
    faults_.fetch_add(1, std::memory_order_acq_rel);
    child_.reset();
    start_locked();  // the next worker creates its context while the user reads the message
  }
  if (answer.is_object() && answer.value("unmapped", false)) unusable_ = reason_in(answer);
  return answer_from_json(answer);
}

Result<LaunchReport> LaunchWorker::run(const CompiledModule& module, const Launch& launch,
                                       std::span<const std::shared_ptr<DeviceBuffer>> buffers, std::stop_token stop) {
  auto answer = ask({LaunchRequest::Kind::run, module, std::span(&launch, 1), buffers, false}, stop);
  if (!answer) return forward(answer);
  LaunchReport report;
  report.elapsed_ms = answer->timing.milliseconds.front();
  report.output = std::move(answer->output);
  return report;
}

Result<QuickTiming> LaunchWorker::time(const CompiledModule& module, std::span<const Launch> launches,
                                       std::span<const std::shared_ptr<DeviceBuffer>> buffers, bool spare_contents,
                                       std::stop_token stop) {
  auto answer = ask({LaunchRequest::Kind::time, module, launches, buffers, spare_contents}, stop);
  if (!answer) return forward(answer);
  return std::move(answer->timing);
}

}  // namespace tilescope
