// The numbers of the memory chart: the flow between registers, shared memory, caches and device memory, for all buffers
// and for each. What the kernel requests is SIMULATED; the levels below, where the caches decide, are MODELLED.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/observed/traffic_facts.hpp"

namespace tilescope {

struct ChartUse {
  std::string name;     // the buffer's; empty: all
  size_t buffer = 0;    // index into Plan::buffers
  DataMovement loads;   // global memory → registers
  DataMovement stores;  // registers → global memory, including atomics
  DataMovement copies;  // asynchronous ones, global → shared memory through the L1
  DataMovement copies_past_l1;
  DataMovement shared_reads, shared_writes;  // only in the total: shared memory has no buffers
  DataMovement shared_copies;                // what asynchronous copies write to shared memory
  HierarchyUse levels;
  /// Traffic from the L2 into the L1, and on to registers: all requests that miss in the L1. The L2's own counters are
  /// higher if it has partitions (LevelTraffic::far_sectors).
  uint64_t l2_to_l1_bytes() const;
  /// Stores and atomics pass through.
  uint64_t l1_to_l2_bytes() const { return stores.moved(); }
  uint64_t device_bytes() const { return levels.device_bytes_read + levels.device_bytes_written; }
  /// Bytes that the kernel moved: sectors of global memory.
  uint64_t asked_bytes() const;
  /// The largest flow in the chart, drawn as the thickest band.
  uint64_t largest() const;
};

struct MemoryChart {
  bool modelled = false;
  ChartUse total;
  std::vector<ChartUse> buffers;  // only buffers that were touched
  bool uses_shared() const { return total.shared_reads.requests + total.shared_writes.requests + copies() > 0; }
  uint64_t copies() const { return total.copies.requests + total.copies_past_l1.requests; }
};
MemoryChart make_chart(const RunResult& result);

}  // namespace tilescope
