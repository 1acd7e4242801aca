// The GPU behind the Executor interface: the CUDA driver API, loaded at run time (the program never links libcuda).
//
// Kernels run in a worker process (launch_worker.hpp), so that one that faults or never ends costs only an error
// message. If no worker is possible (no tilescope-worker beside the program, or a GPU that only one process may use),
// they run in this process, and after a fault the GPU is unusable until the program is restarted.
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
  /// Times all launches of a plan with a few samples; see quick_timing.
  virtual Result<QuickTiming> time(const CompiledModule& module, std::span<const Launch> launches,
                                   std::span<const std::shared_ptr<DeviceBuffer>> buffers, bool spare_contents,
                                   std::stop_token stop) = 0;
  /// Why kernels run in this process; empty while they run in a worker.
  virtual std::string not_isolated() const = 0;
  /// How many kernels have ended their process's use of the GPU so far, because they faulted or were stopped. Updated
  /// before the launch returns; never waits for one. After the first, CUDA-OpenGL interop may be broken on the whole
  /// machine.
  virtual uint64_t faults() const = 0;
};

/// The first GPU, or the reason why there is none. TILESCOPE_HIDE, a comma-separated list, hides what it names: "cuda"
/// the GPU (to test the messages), "worker" the worker process (for profilers that follow one process). `on_fault` is
/// called for each event that faults() counts, on the launching thread before the launch returns.
Result<std::shared_ptr<Executor>> open_gpu(std::function<void()> on_fault = {});

}  // namespace tilescope
