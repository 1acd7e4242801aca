// The common interface behind which a kernel runs: engine/gpu (CUDA driver API, measured) or engine/sim (warp
// simulator, observed). Both get code from the same source: the GPU a cubin, the simulator the PTX.
//
//     auto buffer = executor.allocate({.name = "a", .type = DType::f32, .count = n});
//     executor.upload(*buffer, bytes);
//     executor.launch(module, launch, buffers, options, stop);
//     executor.download(*buffer, bytes);
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/compiled_module.hpp"
#include "engine/plan.hpp"
#include "engine/result.hpp"
#include "engine/specs.hpp"
#include "engine/trace.hpp"

namespace tilescope {

struct DeviceInfo {
  DeviceKind kind = DeviceKind::sim;
  std::string name = {};          // "NVIDIA H200", or "CPU simulator, 2 threads, AVX-512"
  std::string architecture = {};  // "sm_90"; empty on the simulator
  uint32_t multiprocessors = 0;
  uint64_t l2_bytes = 0, memory_bytes = 0;
  uint32_t sm_clock_mhz = 0, memory_clock_mhz = 0;  // as last read; 0 where unknown
  std::string driver_version = {};                  // "580.159.04"; empty on the simulator
  int cuda_version = 0;                             // as cuDriverGetVersion gives it; 0 on the simulator
};

/// Device memory of an executor. Freed with the object.
class DeviceBuffer {
 public:
  virtual ~DeviceBuffer() = default;
  virtual uint64_t address() const = 0;  // the address that the kernel receives
  virtual size_t bytes() const = 0;
};

struct BufferRequest {
  std::string name = {};
  DType type = DType::f32;
  size_t count = 0;
  size_t index = 0;  // position in Plan::buffers; fixes the simulated address
  /// Simulator: zeros that count as written. Untouched parts take no memory, however large the buffer.
  bool zeros = false;
  /// Simulator: generates bytes [first, first + bytes.size()) of the buffer's initial contents when a launch with
  /// checks first reads them. For a large buffer of which little is read. Empty: the contents are uploaded.
  std::function<void(uint64_t first, std::span<std::byte> bytes)> contents = {};
};

/// Which part of a launch is followed step by step: a window of steps of each warp of one block.
struct StepWindow {
  uint64_t block = 0;
  uint64_t first_step = 0;       // for each warp
  uint32_t max_steps = 200'000;  // for all warps together; each has an equal share
  size_t max_bytes = size_t{96} << 20;
  bool operator==(const StepWindow&) const = default;
};
struct StepRecord;  // engine/step_record.hpp

struct LaunchOptions {
  bool checks = true;                        // simulator: bounds, alignment, never-written reads, …
  bool count_traffic = true;                 // simulator: Counters and SiteCounts
  bool record_accesses = false;              // simulator: AccessTrace
  size_t access_budget = 4u << 20;           // accesses kept over the run
  uint64_t step_budget = uint64_t{1} << 40;  // simulator: warp instructions before a launch is aborted
  /// Simulator: warp instructions of one block, or of all blocks that may wait for each other until one of them ends,
  /// before the launch is aborted as a likely hang. A hang that can be proved is found long before.
  uint64_t hang_budget = uint64_t{1} << 30;
  std::shared_ptr<const GpuSpec> gpu = {};  // simulator: the GPU to imitate; null: an H200
  uint32_t launch_index = 0;
  /// Simulator: this launch begins a run although others precede it, so the module's variables are reset to their
  /// loaded values. The launch with index 0 always begins a run.
  bool begins_run = false;
  /// Simulator: execute only these blocks, in this order (ascending linear indices). Empty: all.
  std::vector<uint32_t> blocks = {};
  /// Simulator: stop a block, without a finding, after this many warp instructions, as soon as the running warp's turn
  /// ends: at a barrier, or after some thousand iterations of a loop.
  uint64_t steps_per_block = UINT64_MAX;
  /// Simulator: the kernel's source preceded by its macro definitions; it has the shapes of shared arrays. Null: none.
  std::shared_ptr<const std::string> source = {};
  bool record_shared = true;  // simulator: include shared memory accesses in the AccessTrace
  /// Simulator: follow one block, and run no others except those that it may wait for. Outputs are then partial.
  std::optional<StepWindow> step_window = {};
  bool count_work = false;                             // simulator: LaunchWork; on one thread
  std::function<void(double fraction)> progress = {};  // called from time to time, from any thread
};

struct LaunchReport {
  double elapsed_ms = 0;   // GPU: by device events. Simulator: host time of the simulation (never a kernel time)
  uint64_t warps = 0;      // simulator: warps executed
  Counters counters = {};  // simulator
  std::vector<SiteCount> sites = {};             // simulator; indices into trace.sites
  AccessTrace trace = {};                        // simulator; trace.sites is filled whenever traffic is counted
  LaunchWork work = {};                          // simulator, if requested
  std::vector<Finding> findings = {};            // simulator
  std::string output = {};                       // the kernel's printed bytes; on the simulator in block order
  std::shared_ptr<const StepRecord> steps = {};  // simulator, if a step window was requested
  bool stopped_by_finding = false;               // the kernel could not be completed; outputs are partial
};

class Executor {
 public:
  virtual ~Executor() = default;
  virtual DeviceInfo device() const = 0;
  /// Whether power or heat limits the SM clock now; false if unknown.
  virtual bool clock_is_capped() const { return false; }

  virtual Result<std::shared_ptr<DeviceBuffer>> allocate(const BufferRequest& request) = 0;
  /// The bytes count as written for the never-written check, unless poison is true: then they are stored, but reading
  /// them before the kernel writes them is a finding.
  virtual Result<void> upload(DeviceBuffer& buffer, std::span<const std::byte> bytes, bool poison) = 0;
  virtual Result<void> download(const DeviceBuffer& buffer, std::span<std::byte> bytes) = 0;

  /// Runs one launch to its end. `buffers` are the plan's, in order; launch arguments are indices into them.
  virtual Result<LaunchReport> launch(const CompiledModule& module, const Launch& launch,
                                      std::span<const std::shared_ptr<DeviceBuffer>> buffers,
                                      const LaunchOptions& options, std::stop_token stop) = 0;
};

}  // namespace tilescope
