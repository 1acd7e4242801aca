// How fast the blocks of a grid progress through their steps on a GPU, as far as that affects what they share in the
// L2.
//
// Blocks that read the same strip share it only while they are close together in time. Three effects separate them:
// some SMs are slower than others, blocks compete for one SM, and blocks wait for memory. One effect holds them
// together: a block that runs ahead misses and waits for device memory, a block that follows hits and catches up. It
// acts only if the latency is not hidden, so the model asks how many steps a block has in flight.
//
// All times are internal to the model: they decide an order, and are never shown.
#pragma once

#include <cstdint>

#include "engine/specs.hpp"
#include "engine/trace.hpp"

namespace tilescope {

struct GridPace {
  double busy_ns = 1;              // time that a step occupies an SM, however many blocks share it
  double alone_ns = 0;             // minimum time of a step: that of a block alone on its SM
  uint32_t steps_in_flight = 0;    // asynchronous copies ahead of the computing step; 0: loads are waited for
  double hit_ns = 0;               // from issuing a step's copy to its data, on an L2 hit
  double miss_ns = 0;              // additional time if the data comes from device memory
  double device_bytes_per_ns = 0;  // 0: unlimited
  double start_ns = 0;             // from the end of a block to the first step of the next one
  double start_spread_ns = 0;      // standard deviation of start_ns between SMs
  double pace_spread = 0;          // relative spread of busy_ns and alone_ns between SMs
  double precedence = 0;           // for older blocks on an SM: 0: equal shares, 1: the oldest first
  double capacity_spread = 0;      // among the L2's sets: how unevenly lines are spread over them, relative
};

/// The assumed pace of a GPU's blocks; grid_pace.cpp has the constants. `work` is that of one block, whose `steps`
/// steps read `read_bytes` in total; it writes `written_bytes`.
GridPace pace_of(const GpuSpec& gpu, const LaunchWork& work, uint32_t steps, uint64_t read_bytes,
                 uint64_t written_bytes);

}  // namespace tilescope
