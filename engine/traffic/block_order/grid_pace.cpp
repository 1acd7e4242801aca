#include "engine/traffic/block_order/grid_pace.hpp"

#include <algorithm>

namespace tilescope {
namespace {

// Fitted once, to 552 launches of matrix products on an H200 (docs/block-order.md), for all sizes, tiles, orders and
// types together.
constexpr double kReachedOfPeak = 0.6;     // fraction of the peak rate reached by blocks that fill an SM
constexpr double kBytesPerClock = 100;     // a step's operands, moved through shared memory
constexpr double kHitNs = 620;             // L2 round trip, under load
constexpr double kArrivalBytesPerNs = 70;  // at one SM, for one block's data
constexpr double kMissNs = 300;            // additional latency of device memory
constexpr double kReachedOfBandwidth = 0.875;
constexpr double kStartNs = 500;
constexpr double kStartSpreadNs = 600;  // for a block that writes 64 KiB; proportional to the bytes
constexpr double kPaceSpread = 0.002;
constexpr double kPrecedence = 0.3;
constexpr double kCapacitySpread = 0.2;

constexpr double kIssuesPerClock = 4;  // warp instructions per SM

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
  pace.busy_ns = std::max(computing / count + bytes / (kBytesPerClock * clock_per_ns), 1e-3);
  pace.hit_ns = kHitNs + bytes / kArrivalBytesPerNs;
  pace.miss_ns = kMissNs;
  pace.steps_in_flight = work.copy_groups_in_flight;
  pace.alone_ns = pace.steps_in_flight == 0 ? pace.busy_ns + pace.hit_ns
                                            : std::max(pace.busy_ns, pace.hit_ns / pace.steps_in_flight);
  pace.device_bytes_per_ns = gpu.memory_bytes_per_second / 1e9 * kReachedOfBandwidth;
  pace.start_ns = kStartNs;
  pace.start_spread_ns = kStartSpreadNs * static_cast<double>(written_bytes) / 65536;
  pace.pace_spread = kPaceSpread;
  pace.precedence = kPrecedence;
  pace.capacity_spread = kCapacitySpread;
  return pace;
}

}  // namespace tilescope
