// The GPU behind the Executor interface: the CUDA driver API, opened at run time (the program never links libcuda).
//
// Kernels run in a worker process (launch_worker.hpp), so that one that faults or never ends costs no more than an
// error message. Where there can be none (no tilescope-worker beside the program, or a GPU that only one process may
// use), they run here, and after a fault the GPU cannot be used until the program is started again.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "engine/executor.hpp"
#include "engine/gpu/timing_method.hpp"
#include "engine/result.hpp"

namespace tilescope {

class GpuExecutor : public Executor {
 public:
  /// A few samples of all launches of a plan; see quick_timing.
  virtual Result<QuickTiming> time(const CompiledModule& module, std::span<const Launch> launches,
                                   std::span<const std::shared_ptr<DeviceBuffer>> buffers, bool spare_contents,
                                   std::stop_token stop) = 0;
  /// Why kernels run in this process; empty while they run in a worker.
  virtual std::string not_isolated() const = 0;
  /// How often a kernel has ended its process's use of the GPU so far, because it faulted or was stopped. Counted
  /// before the launch returns; never waits for one. CUDA-OpenGL interop may be broken on the whole machine from then
  /// on.
  virtual uint64_t faults() const = 0;
};

/// The first GPU, or why there is none. TILESCOPE_HIDE, a comma-separated list, takes away what it names: "cuda" the
/// GPU (for tests of the messages), "worker" the worker process (for profilers that follow one process). `on_fault` is
/// called for what faults() counts, on the thread of the launch and before that returns.
Result<std::shared_ptr<Executor>> open_gpu(std::function<void()> on_fault = {});

}  // namespace tilescope
