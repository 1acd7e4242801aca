// How fast the blocks of a grid progress through their steps on a GPU, as far as that affects what they share in the
// L2.
//
// Blocks that read the same strip share it only while they are close together in time. Three effects separate them:
// clusters of SMs are faster than others at fetching operands, blocks compete for one SM, and blocks start at different
// times. One effect holds them together: a block that runs ahead misses and waits for device memory, a block that
// follows hits and catches up. It acts only if the latency is not hidden, so the model asks how many steps a block has
// in flight, and how long the L2 takes to answer under the load of these blocks.
//
// All times are internal to the model: they decide an order, and are never shown.
#pragma once

#include <cstdint>

#include "engine/specs.hpp"
#include "engine/trace.hpp"

namespace tilescope {

/// SMs of a graphics processing cluster (GPC): 16 or 18 on an H100, up to 16 on an A100. The first wave fills one
/// cluster after the other, so the SMs of a cluster are numbered one after the other here as well.
inline constexpr uint32_t kClusterMultiprocessors = 16;
constexpr uint32_t cluster_count(uint32_t multiprocessors) {
  return multiprocessors < kClusterMultiprocessors ? 1 : multiprocessors / kClusterMultiprocessors;
}
constexpr uint32_t cluster_of(uint32_t multiprocessor, uint32_t multiprocessors) {
  const uint32_t cluster = multiprocessor / kClusterMultiprocessors, count = cluster_count(multiprocessors);
  return cluster < count ? cluster : count - 1;
}

struct GridPace {
  double busy_ns = 1;              // time that a step occupies an SM, however many blocks share it
  double alone_ns = 0;             // minimum time of a step: that of a block alone on its SM
  uint32_t steps_in_flight = 0;    // asynchronous copies ahead of the computing step; 0: loads are waited for
  double hit_ns = 0;               // from issuing a step's copy to its data, on an L2 hit
  double miss_ns = 0;              // additional time if the data comes from device memory
  double latency_tail_ns = 0;      // mean excess of single latencies over these: their distribution has a tail
  double shared_miss = 0;          // fraction of a miss that is never hidden if blocks share an SM
  double device_bytes_per_ns = 0;  // 0: unlimited
  double start_ns = 0;             // from the end of a block to the first step of the next one
  double start_spread_ns = 0;      // standard deviation of start_ns between SMs
  double pace_spread = 0;          // relative spread of busy_ns and alone_ns between the SMs of a cluster
  double cluster_spread = 0;       // the same between clusters
  double precedence = 0;           // for older blocks on an SM: 0: equal shares, 1: the oldest first
  double capacity = 1;             // fraction of the L2 that holds the grid's data
  double capacity_spread = 0;      // among the L2's sets: how unevenly lines are spread over them, relative
};

/// The assumed pace of a GPU's blocks; grid_pace.cpp has the constants. `work` is that of one block, whose `steps`
/// steps read `read_bytes` in total; it writes `written_bytes`.
GridPace pace_of(const GpuSpec& gpu, const LaunchWork& work, uint32_t steps, uint64_t read_bytes,
                 uint64_t written_bytes);

/// Two paces between which a GPU's blocks run: nothing moves them apart, and a little more fits the L2 than assumed; or
/// everything does, and a little less fits. If both lead to the same bytes, these do not depend on the pace.
GridPace held_together(const GridPace& pace);
GridPace let_apart(const GridPace& pace);

}  // namespace tilescope
