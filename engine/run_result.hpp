// Everything that one run found out, with the provenance of every part. Views read only this.
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
  std::string rung;          // the rung that ran: the request's, or the picked one
  Config config;             // the configuration that it ran with
  std::optional<Pick> pick;  // if the request's rung picks: its choice, and why
  Plan plan;                 // source, buffers, launches as run
  uint32_t launch = 0;       // index into plan.launches of the shown launch: tiles, steps and waves are its
  DeviceInfo device;         // the device that outputs and timing come from
  /// The GPU of occupancy and hierarchy; on the simulator device.multiprocessors is its SM count too.
  GpuSpec modelled_gpu;
  /// The GPU whose machine code gave the registers and memory operations, if not the modelled one: a sentence.
  Phrase machine_code_note;
  Phrase not_compared_reason;  // why no line is marked as changed by ptxas; empty: the lines were compared
  std::string version, date;   // provenance
  CompiledModule compiled;     // the module the device ran
  // Contents after the run, parallel to plan.buffers; shared, because inputs are kept from run to run.
  std::vector<std::shared_ptr<const HostBuffer>> buffers;
  std::vector<std::shared_ptr<DeviceBuffer>> device_buffers;  // GPU runs: kept for interop
  std::vector<Correctness> correctness;                       // one per output
  std::vector<OutputStatistics> statistics;                   // one per output without a reference
  bool observed = false;                                      // traffic, trace, tiles and findings are valid
  Phrase not_observed_reason;                                 // why they are not
  /// For a grid that is too large: number of its blocks that were executed, on zeros; nothing is compared. Findings and
  /// traffic.counters cover these blocks only. 0: all were executed.
  uint64_t blocks_sampled = 0;
  std::optional<OrderModel> block_order;  // MODELLED; if the lab asks for it
  Traffic traffic;                        // SIMULATED
  std::vector<BlockUsage> usage;          // by launch: resources of one block, by the machine code
  std::vector<Occupancy> occupancy;       // by launch, on the modelled GPU; MODELLED
  std::vector<WaveSchedule> waves;        // by launch, on the modelled GPU; MODELLED
  std::optional<BlockTimes> block_times;  // for the last launch, if it records them; MEASURED
  HierarchyTraffic hierarchy;             // MODELLED
  AccessTrace trace;                      // SIMULATED
  TileMap tiles;                          // SIMULATED
  std::vector<Finding> findings;          // SIMULATED
  std::vector<Phrase> warnings;           // reasons to doubt the result although the kernel ran without errors
  std::string output;                     // bytes that the kernels printed on the device
  uint64_t simulated_warps = 0;
  double simulate_ms = 0;                           // host time of the simulation
  double compile_ms = 0, run_ms = 0, total_ms = 0;  // run_ms: device time on a GPU, host time on the simulator
  std::optional<TimingPoint> timing;                // GPU only
  bool passed() const {
    if (correctness.empty()) return false;
    for (const auto& one : correctness)
      if (!one.pass) return false;
    return true;
  }
};

}  // namespace tilescope
