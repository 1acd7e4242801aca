// How fast the blocks of a grid progress through their steps on a GPU, as far as that affects what they share in the
// L2.
//
// Blocks that read the same strip share it only while they are close together in time. Four effects separate them:
// clusters of SMs differ in pace, parts of a cluster have fewer SMs to share their path to the L2, blocks compete for
// one SM, and blocks start at different times. One effect holds them together: a block that runs ahead misses and waits
// for device memory, and a block that follows gets its data no later. It acts only if the latency is not hidden, so the
// model asks how many steps a block has in flight, and how long the L2 takes to answer under the load of these blocks.
//
// All times are internal to the model: they decide an order, and are never shown.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/specs.hpp"
#include "engine/trace.hpp"

namespace tilescope {

/// What the L2 and the ways to it give. 0: unlimited.
struct L2Limits {
  double latency_ns = 0, sm_bytes_per_ns = 0;         // of one SM's requests, if several blocks make them
  double cpc_bytes_per_ns = 0, gpc_bytes_per_ns = 0;  // per CPC and per GPC (gpu_clusters.hpp)
  /// The clusters are a limit if an SM has more bytes than this in flight; with fewer it waits for the latency.
  double queued_from_bytes = 0;
};

/// By how much older blocks of an SM are faster than younger ones: `least`, and more where they compete for the
/// arithmetic units for more than `from` of the time.
struct BlockLead {
  double least = 0, from = 0, slope = 0, most = 0;
};

struct GridPace {
  double busy_ns = 1;              // time that a step occupies an SM, however many blocks share it
  double computing_ns = 0;         // the part of it for which the arithmetic units are busy
  double alone_ns = 0;             // minimum time of a step: that of a block alone on its SM
  double step_bytes = 0;           // that a step reads
  uint32_t steps_in_flight = 0;    // asynchronous copies ahead of the computing step; 0: loads are waited for
  double hit_ns = 0;               // from issuing a step's copy to its data, on an L2 hit
  double miss_ns = 0;              // additional time if the data comes from device memory
  double latency_tail_ns = 0;      // mean excess of single latencies over these: their distribution has a tail
  double device_bytes_per_ns = 0;  // 0: unlimited
  L2Limits l2 = {};
  std::vector<uint32_t> gpcs = {};  // GpuSpec::gpcs
  double start_ns = 0;              // from the end of a block to the first step of the next one
  double start_spread_ns = 0;       // standard deviation of start_ns between SMs
  double pace_spread = 0;           // relative spread of a step's time between the SMs of a cluster
  double cluster_spread = 0;        // the same between clusters
  BlockLead lead = {};
  double capacity = 1;         // fraction of the L2 that holds the grid's data
  double capacity_spread = 0;  // among the L2's sets: how unevenly lines are spread over them, relative
};

/// The assumed pace of a GPU's blocks; grid_pace.cpp has the constants. `work` is that of one block, whose `steps`
/// steps read `read_bytes` in total; it writes `written_bytes`.
GridPace pace_of(const GpuSpec& gpu, const LaunchWork& work, uint32_t steps, uint64_t read_bytes,
                 uint64_t written_bytes);

/// All of its values, for a digest.
std::vector<double> numbers_of(const GridPace& pace);

/// Two paces between which a GPU's blocks run: nothing moves them apart, and a little more fits the L2 than assumed; or
/// everything does, and a little less fits. If both lead to the same bytes, these do not depend on the pace.
GridPace held_together(const GridPace& pace);
GridPace let_apart(const GridPace& pace);

/// The pace of pace_of() is that of one launch after a pause: it begins at the boost clock, which falls to what the
/// power limit allows while it runs, and not in all clusters at the same moment. A launch that follows others, or whose
/// clock is locked (as Nsight Compute does unless told otherwise), has a steady clock, and clusters hardly differ.
GridPace at_steady_clock(const GridPace& pace);

}  // namespace tilescope
