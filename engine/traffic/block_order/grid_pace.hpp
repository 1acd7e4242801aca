// How fast the blocks of a grid work through their steps on a GPU, as far as it decides what they share in the L2.
//
// Blocks that read the same strip share it only while they are close together in time. Three things move them apart:
// multiprocessors that are slower than others, blocks that compete for one multiprocessor, and waiting for memory.
// One thing holds them together: who runs ahead misses and waits for device memory, who follows hits and catches up.
// It works only where the latency is not hidden, so the model asks how many steps a block has in flight.
//
// All times are of the model: they decide an order, and are never shown.
#pragma once

#include <cstdint>

#include "engine/specs.hpp"
#include "engine/trace.hpp"

namespace tilescope {

struct GridPace {
  double busy_ns = 1;              // that a step keeps a multiprocessor busy, however many blocks share it
  double alone_ns = 0;             // that a step takes at least: of a block that is alone on its multiprocessor
  uint32_t steps_in_flight = 0;    // asynchronous copies ahead of the step that computes; 0: loads are waited for
  double hit_ns = 0;               // from the copy of a step to its data, from the L2
  double miss_ns = 0;              // what it takes longer from device memory
  double device_bytes_per_ns = 0;  // 0: unlimited
  double start_ns = 0;             // from the end of a block to the first step of the next
  double start_spread_ns = 0;      // standard deviation of that between multiprocessors
  double pace_spread = 0;          // of busy_ns and alone_ns between multiprocessors, relative
  double precedence = 0;       // of older blocks on a multiprocessor: 0: all have the same share, 1: the oldest first
  double capacity_spread = 0;  // of the L2's sets: how unevenly lines are spread over them, relative
};

/// What a GPU's blocks are assumed to do: see the constants in grid_pace.cpp. `work`: of one block, with `steps` steps
/// that read `read_bytes` in all; it writes `written_bytes`.
GridPace pace_of(const GpuSpec& gpu, const LaunchWork& work, uint32_t steps, uint64_t read_bytes,
                 uint64_t written_bytes);

}  // namespace tilescope
