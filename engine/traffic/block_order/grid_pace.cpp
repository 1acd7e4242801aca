#include "engine/traffic/block_order/grid_pace.hpp"

#include <algorithm>

namespace tilescope {
namespace {

// Fitted once, to 552 launches of matrix products on an H200 (docs/block-order.md), for all sizes, tiles, orders and
// types together; but what a block alone on its SM takes was timed.
constexpr double kReachedOfPeak = 0.6;      // fraction of the peak rate reached by blocks that fill an SM
constexpr double kBytesPerClock = 100;      // a step's operands, moved through shared memory
constexpr double kAloneNs = 560;            // from a step's copy to its data, for a block alone on its SM; and the rate
constexpr double kAloneBytesPerNs = 82;     // at which the data then arrives
constexpr double kUnloadedNs = 230;         // L2 round trip if nothing else is requested
constexpr double kArrivalBytesPerNs = 100;  // at one SM, for one block's data
constexpr double kMissNs = 300;             // additional latency of device memory
constexpr double kTailNs = 100;             // mean excess of a latency
constexpr double kSharedMiss = 0.1;
constexpr double kReachedOfBandwidth = 0.875;
constexpr double kStartNs = 500;
constexpr double kStartSpreadNs = 400;    // for a block that writes 64 KiB; proportional to the bytes
constexpr double kPaceSpread = 0.0003;    // between the SMs of a cluster
constexpr double kClusterSpread = 0.016;  // between clusters, of the time that moving operands takes
constexpr double kPrecedence = 0.12;
constexpr double kCapacity = 0.96;  // fraction of the L2 that holds the grid's data
constexpr double kCapacitySpread = 0.17;

constexpr double kPortBytesPerClock = 64;  // from the L2 to an SM: the width of its port
constexpr double kMostLoad = 0.9;          // share of the port that is used; more counts as this
constexpr double kIssuesPerClock = 4;      // warp instructions per SM

}  // namespace

GridPace pace_of(const GpuSpec& gpu, const LaunchWork& work, uint32_t steps, uint64_t read_bytes,
                 uint64_t written_bytes) {
  const double clock_per_ns = gpu.boost_clock_hz.value_or(1.5e9) / 1e9;
  double computing = 0;  // ns of an SM, for the whole block
  for (size_t rate = 0; rate < work.operations.size(); ++rate) {
    const auto peak = gpu.peak.of(static_cast<PeakRate>(rate));
    if (peak) computing += work.operations[rate] / (*peak / 1e9 / gpu.multiprocessors * kReachedOfPeak);
  }
  computing = std::max(computing, static_cast<double>(work.warp_instructions) / (kIssuesPerClock * clock_per_ns));
  const double count = std::max<uint32_t>(steps, 1);
  const double bytes = static_cast<double>(read_bytes) / count;

  GridPace pace;
  const double moving = bytes / (kBytesPerClock * clock_per_ns);
  pace.busy_ns = std::max(computing / count + moving, 1e-3);
  // The more of its port an SM uses, the longer its requests queue.
  const double load = std::min(bytes / pace.busy_ns / (kPortBytesPerClock * clock_per_ns), kMostLoad);
  pace.hit_ns = kUnloadedNs / (1 - load) + bytes / kArrivalBytesPerNs;
  pace.miss_ns = kMissNs;
  pace.latency_tail_ns = kTailNs;
  pace.shared_miss = kSharedMiss;
  pace.steps_in_flight = work.copy_groups_in_flight;
  const double alone = kAloneNs + bytes / kAloneBytesPerNs;
  pace.alone_ns =
      pace.steps_in_flight == 0 ? pace.busy_ns + pace.hit_ns : std::max(pace.busy_ns, alone / pace.steps_in_flight);
  pace.device_bytes_per_ns = gpu.memory_bytes_per_second / 1e9 * kReachedOfBandwidth;
  pace.start_ns = kStartNs;
  pace.start_spread_ns = kStartSpreadNs * static_cast<double>(written_bytes) / 65536;
  pace.pace_spread = kPaceSpread;
  pace.cluster_spread = kClusterSpread * moving / pace.busy_ns;
  pace.precedence = kPrecedence;
  pace.capacity = kCapacity;
  pace.capacity_spread = kCapacitySpread;
  return pace;
}

GridPace held_together(const GridPace& pace) {
  GridPace together = pace;
  together.start_spread_ns = together.pace_spread = together.cluster_spread = together.precedence = 0;
  together.shared_miss = 0.5;
  together.capacity *= 1.06;
  return together;
}

GridPace let_apart(const GridPace& pace) {
  GridPace apart = pace;
  apart.pace_spread *= 3;
  apart.cluster_spread *= 3;
  apart.precedence = 0.5;
  apart.shared_miss = 0;
  apart.capacity *= 0.94;
  return apart;
}

}  // namespace tilescope
