#include "engine/traffic/block_order/grid_pace.hpp"

#include <algorithm>

namespace tilescope {
namespace {

// Fitted once, to 552 launches of matrix products on an H200 (docs/block-order.md), for all sizes, tiles, orders and
// types together; but those marked so were timed or traced on an H100.
constexpr double kReachedOfPeak = 0.6;   // fraction of the peak rate reached by blocks that fill an SM
constexpr double kBytesPerClock = 100;   // a step's operands, moved through shared memory
constexpr double kStepNs = 16;           // a step's barriers
constexpr double kAloneNs = 560;         // timed: from a step's copy to its data, for a block alone on its SM; and the
constexpr double kAloneBytesPerNs = 82;  // rate at which the data then arrives
constexpr double kUnloadedNs = 230;      // L2 round trip if nothing else is requested
constexpr double kArrivalBytesPerNs = 100;  // at one SM, for one block's data
constexpr double kMissNs = 300;             // additional latency of device memory
constexpr double kTailNs = 100;             // mean excess of a latency
constexpr double kReachedOfBandwidth = 0.875;
constexpr double kStartNs = 500;
constexpr double kStartSpreadNs = 400;    // for a block that writes 64 KiB; proportional to the bytes
constexpr double kPaceSpread = 0.0003;    // between the SMs of a cluster
constexpr double kClusterSpread = 0.004;  // between clusters, of the time for which tensor cores are busy
constexpr double kSteadySpread = 0.001;   // the same at a steady clock
constexpr double kCapacity = 0.97;        // fraction of the L2 that holds the grid's data
constexpr double kCapacitySpread = 0.17;

constexpr double kPortBytesPerClock = 64;  // from the L2 to an SM: the width of its port
constexpr double kMostLoad = 0.9;          // share of the port that is used; more counts as this
constexpr double kIssuesPerClock = 4;      // warp instructions per SM

// The L2 under the load of several blocks on each SM.
constexpr double kLoadedNs = 871;
constexpr double kSmBytesPerClock = 39.7;
constexpr double kCpcBytesPerClock = 206, kGpcBytesPerClock = 581;
constexpr double kQueuedFromBytes = 112'000;  // traced: at 96 KiB in flight the SMs of all CPCs are as fast, at 128 not

// How far the oldest block of an SM is ahead: its form is that of traces of the first wave.
constexpr BlockLead kLead{.least = 0.014, .from = 0.325, .slope = 4, .most = 0.15};

bool is_of_tensor_cores(PeakRate rate) { return rate != PeakRate::fp32 && rate != PeakRate::fp64; }

/// For how long a block needs the arithmetic units of its SM.
struct Computing {
  double ns = 0, tensor_ns = 0;
};
Computing computing_of(const GpuSpec& gpu, const LaunchWork& work) {
  Computing computing;
  for (size_t i = 0; i < work.operations.size(); ++i) {
    const auto rate = static_cast<PeakRate>(i);
    const auto peak = gpu.peak.of(rate);
    if (!peak) continue;
    const double ns = work.operations[i] / (*peak / 1e9 / gpu.multiprocessors * kReachedOfPeak);
    computing.ns += ns;
    if (is_of_tensor_cores(rate)) computing.tensor_ns += ns;
  }
  return computing;
}

}  // namespace

GridPace pace_of(const GpuSpec& gpu, const LaunchWork& work, uint32_t steps, uint64_t read_bytes,
                 uint64_t written_bytes) {
  const double clock_per_ns = gpu.boost_clock_hz.value_or(1.5e9) / 1e9;
  const Computing computing = computing_of(gpu, work);
  const double issuing = static_cast<double>(work.warp_instructions) / (kIssuesPerClock * clock_per_ns);
  const double count = std::max<uint32_t>(steps, 1);
  const double bytes = static_cast<double>(read_bytes) / count;

  GridPace pace;
  pace.computing_ns = std::max(computing.ns, issuing) / count;
  pace.busy_ns = pace.computing_ns + bytes / (kBytesPerClock * clock_per_ns) + kStepNs;
  pace.step_bytes = bytes;
  // The more of its port an SM uses, the longer its requests queue.
  const double load = std::min(bytes / pace.busy_ns / (kPortBytesPerClock * clock_per_ns), kMostLoad);
  pace.hit_ns = kUnloadedNs / (1 - load) + bytes / kArrivalBytesPerNs;
  pace.miss_ns = kMissNs;
  pace.latency_tail_ns = kTailNs;
  pace.steps_in_flight = work.copy_groups_in_flight;
  const double alone = kAloneNs + bytes / kAloneBytesPerNs;
  pace.alone_ns =
      pace.steps_in_flight == 0 ? pace.busy_ns + pace.hit_ns : std::max(pace.busy_ns, alone / pace.steps_in_flight);
  pace.device_bytes_per_ns = gpu.memory_bytes_per_second / 1e9 * kReachedOfBandwidth;
  pace.l2 = {.latency_ns = kLoadedNs,
             .sm_bytes_per_ns = kSmBytesPerClock * clock_per_ns,
             .cpc_bytes_per_ns = kCpcBytesPerClock * clock_per_ns,
             .gpc_bytes_per_ns = kGpcBytesPerClock * clock_per_ns,
             .queued_from_bytes = kQueuedFromBytes};
  pace.gpcs = gpu.gpcs;
  pace.start_ns = kStartNs;
  pace.start_spread_ns = kStartSpreadNs * static_cast<double>(written_bytes) / 65536;
  pace.pace_spread = kPaceSpread;
  pace.cluster_spread = kClusterSpread * computing.tensor_ns / count / pace.busy_ns;
  pace.lead = kLead;
  pace.capacity = kCapacity;
  pace.capacity_spread = kCapacitySpread;
  return pace;
}

std::vector<double> numbers_of(const GridPace& pace) {
  const auto& [busy, computing, alone, bytes, in_flight, hit, miss, tail, device, l2, gpcs, start, start_spread,
               pace_spread, cluster_spread, lead, capacity, capacity_spread] =
      pace;  // an error if a field is forgotten
  std::vector<double> numbers{busy,
                              computing,
                              alone,
                              bytes,
                              static_cast<double>(in_flight),
                              hit,
                              miss,
                              tail,
                              device,
                              l2.latency_ns,
                              l2.sm_bytes_per_ns,
                              l2.cpc_bytes_per_ns,
                              l2.gpc_bytes_per_ns,
                              l2.queued_from_bytes,
                              start,
                              start_spread,
                              pace_spread,
                              cluster_spread,
                              lead.least,
                              lead.from,
                              lead.slope,
                              lead.most,
                              capacity,
                              capacity_spread};
  numbers.insert(numbers.end(), gpcs.begin(), gpcs.end());
  return numbers;
}

GridPace held_together(const GridPace& pace) {
  GridPace together = pace;
  together.start_spread_ns = together.pace_spread = together.cluster_spread = 0;
  together.lead = {};
  together.l2.cpc_bytes_per_ns = 0;
  together.capacity *= 1.06;
  return together;
}

GridPace let_apart(const GridPace& pace) {
  GridPace apart = pace;
  apart.pace_spread *= 3;
  apart.cluster_spread *= 3;
  apart.lead.least *= 3;
  apart.lead.from -= 0.03;
  apart.capacity *= 0.94;
  return apart;
}

GridPace at_steady_clock(const GridPace& pace) {
  GridPace steady = pace;
  steady.cluster_spread *= kSteadySpread / kClusterSpread;
  return steady;
}

}  // namespace tilescope
