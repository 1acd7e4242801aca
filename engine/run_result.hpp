// What one run found out, with the provenance of every part. Views read this and nothing else.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/block_schedule.hpp"
#include "engine/compiled_module.hpp"
#include "engine/correctness.hpp"
#include "engine/executor.hpp"
#include "engine/observed.hpp"
#include "engine/order_result.hpp"
#include "engine/phrase.hpp"
#include "engine/request.hpp"
#include "engine/speed_report.hpp"
#include "engine/trace.hpp"

namespace tilescope {

struct RunResult {
  Request request;
  std::string rung;          // that ran: the request's, or what it picked
  Config config;             // that it ran with
  std::optional<Pick> pick;  // where the request's rung picks: what, and why
  Plan plan;                 // source, buffers, launches as run
  uint32_t launch = 0;       // that is shown: tiles, steps and waves are those of it. An index into plan.launches
  DeviceInfo device;         // where outputs and timing come from
  /// The GPU that occupancy and hierarchy are of; on the simulator device.multiprocessors is its SM count too.
  GpuSpec modelled_gpu;
  /// Whose machine code the registers and memory operations are of, where it is not the modelled GPU's: a sentence.
  Phrase machine_code_note;
  Phrase not_compared_reason;  // why no line is marked as changed by ptxas; empty: they were compared
  std::string version, date;   // provenance
  CompiledModule compiled;     // the module the device ran
  // Contents after the run, parallel to plan.buffers; shared, because inputs are kept from run to run.
  std::vector<std::shared_ptr<const HostBuffer>> buffers;
  std::vector<std::shared_ptr<DeviceBuffer>> device_buffers;  // GPU runs: still there, for interop
  std::vector<Correctness> correctness;                       // one per output
  std::vector<OutputStatistics> statistics;                   // one per output, where correctness has none
  bool observed = false;                                      // traffic, trace, tiles, findings hold
  Phrase not_observed_reason;                                 // why they do not
  /// Where the grid is too large: so many of its blocks were executed, on zeros, and nothing is compared. Findings and
  /// traffic.counters are theirs alone. 0: all were.
  uint64_t blocks_sampled = 0;
  std::optional<OrderModel> block_order;  // MODELLED; where the lab asks for it
  Traffic traffic;                        // SIMULATED
  std::vector<BlockUsage> usage;          // by launch: what one block takes, by the machine code
  std::vector<Occupancy> occupancy;       // by launch, on the modelled GPU; MODELLED
  std::vector<WaveSchedule> waves;        // by launch, on the modelled GPU; MODELLED
  std::optional<BlockTimes> block_times;  // of the last launch, where it notes them; MEASURED
  HierarchyTraffic hierarchy;             // MODELLED
  AccessTrace trace;                      // SIMULATED
  TileMap tiles;                          // SIMULATED
  std::vector<Finding> findings;          // SIMULATED
  std::vector<Phrase> warnings;           // what makes the result doubtful although the kernel ran clean
  std::string output;                     // what the kernels printed on the device, as bytes
  uint64_t simulated_warps = 0;
  double simulate_ms = 0;                           // host time of the simulation
  double compile_ms = 0, run_ms = 0, total_ms = 0;  // run_ms: on a GPU device time, on the simulator host time
  std::optional<TimingPoint> timing;                // GPU only
  bool passed() const {
    if (correctness.empty()) return false;
    for (const auto& one : correctness)
      if (!one.pass) return false;
    return true;
  }
};

}  // namespace tilescope
