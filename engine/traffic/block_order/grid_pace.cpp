#include "engine/traffic/block_order/grid_pace.hpp"

#include <algorithm>

namespace tilescope {
namespace {

// The first group is near what traces of eight products on an H100 and an H200 gave (docs/block-order.md): 38 ns, 62%,
// 47%, 148 bytes per clock and 0.05%. The step and the bytes were then fitted with the second group.
constexpr double kStepNs = 20;                 // barriers and the loop
constexpr double kReachedOfPeak = 0.617;       // of the peak rate of the tensor cores, and
constexpr double kReachedOfPeakSingle = 0.47;  // of the CUDA cores
constexpr double kBytesPerClock = 165;         // of a step's operands, on their way through shared memory
constexpr double kPaceSpread = 0.0005;         // between the multiprocessors of a GPC

// The second was fitted once, to the launches of matrix products that are not kept out, for both GPUs, all sizes,
// tiles, orders and types together.
constexpr double kHitNs = 620;              // to the L2 and back, under load
constexpr double kArrivalBytesPerNs = 100;  // at one multiprocessor, of what one block asked for
constexpr double kMissNs = 300;             // device memory takes so much longer
constexpr double kReachedOfBandwidth = 0.875;
constexpr double kStartNs = 500;
constexpr double kStartSpreadNs = 600;  // of a block that writes 64 KiB; in proportion
constexpr double kGpcSpread = 0.034;    // between GPCs, in the time that operands take
constexpr double kTailNs = 100;         // of a latency
constexpr double kPrecedence = 0.3;
constexpr double kCapacitySpread = 0.2;

constexpr double kIssuesPerClock = 4;  // warp instructions of a multiprocessor

}  // namespace

GridPace pace_of(const GpuSpec& gpu, const LaunchWork& work, uint32_t steps, uint64_t read_bytes,
                 uint64_t written_bytes) {
  const double clock_per_ns = gpu.boost_clock_hz.value_or(1.5e9) / 1e9;
  double computing = 0;  // ns of a multiprocessor, for the whole block
  for (size_t rate = 0; rate < work.operations.size(); ++rate) {
    const auto peak = gpu.peak.of(static_cast<PeakRate>(rate));
    const double reached = static_cast<PeakRate>(rate) == PeakRate::fp32 ? kReachedOfPeakSingle : kReachedOfPeak;
    if (peak) computing += work.operations[rate] / (*peak / 1e9 / gpu.multiprocessors * reached);
  }
  computing = std::max(computing, static_cast<double>(work.warp_instructions) / (kIssuesPerClock * clock_per_ns));
  const double count = std::max<uint32_t>(steps, 1);
  const double bytes = static_cast<double>(read_bytes) / count;

  GridPace pace;
  const double moving = bytes / (kBytesPerClock * clock_per_ns);
  pace.busy_ns = kStepNs + computing / count + moving;
  pace.hit_ns = kHitNs + bytes / kArrivalBytesPerNs;
  pace.miss_ns = kMissNs;
  pace.latency_tail_ns = kTailNs;
  pace.steps_in_flight = work.copy_groups_in_flight;
  pace.alone_ns = pace.steps_in_flight == 0 ? pace.busy_ns + pace.hit_ns
                                            : std::max(pace.busy_ns, pace.hit_ns / pace.steps_in_flight);
  pace.device_bytes_per_ns = gpu.memory_bytes_per_second / 1e9 * kReachedOfBandwidth;
  pace.start_ns = kStartNs;
  pace.start_spread_ns = kStartSpreadNs * static_cast<double>(written_bytes) / 65536;
  pace.pace_spread = kPaceSpread;
  pace.gpc_spread = kGpcSpread * moving / pace.busy_ns;
  pace.precedence = kPrecedence;
  pace.capacity_spread = kCapacitySpread;
  return pace;
}

}  // namespace tilescope
