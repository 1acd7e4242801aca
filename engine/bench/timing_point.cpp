#include "engine/bench/timing_point.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "engine/bench/buffer_sets.hpp"
#include "engine/bench/measure.hpp"

namespace tilescope {
namespace {

constexpr double kShortestColdMs = 0.020;
constexpr double kGraphMs = 1.0;  // what one replay should take

}  // namespace

Method choose_timing(double estimate_ms, uint64_t l2_bytes, uint64_t set_bytes) {
  if (estimate_ms >= kShortestColdMs) return {};
  // The estimate holds the cost of the events, so a graph takes less than asked for; it is long enough.
  const int executions = static_cast<int>(std::clamp(kGraphMs / std::max(estimate_ms, 1e-3), 50.0, 500.0));
  const int sets = sets_beyond(l2_bytes, set_bytes);
  return {.executions = (executions + sets - 1) / sets * sets, .sets = sets};
}

Result<Sampler> make_sampler(GpuTimer& timer, TimedWork work, const Method& method) {
  if (method.cold()) {
    return Sampler([&timer, work = std::move(work)](int count) { return timer.cold(work, count); });
  }
  auto captured = timer.capture(work, method.executions);
  if (!captured) return tl::unexpected(captured.error());
  // The graph holds the launches by value; the module they come from has to stay.
  return Sampler([&timer, work = std::move(work), graph = std::shared_ptr<TimedGraph>(std::move(*captured))](
                     int count) { return timer.batched(*graph, count); });
}

TimingPoint make_point(std::span<const double> samples, double useful_bytes, const Method& method) {
  const Interval interval = bootstrap_median(samples);
  TimingPoint point;
  point.median_ms = interval.median;
  point.low_ms = interval.low;
  point.high_ms = interval.high;
  point.samples = static_cast<uint32_t>(samples.size());
  point.gigabytes_per_second = interval.median > 0 ? useful_bytes / (interval.median * 1e6) : 0;
  point.cold_l2 = method.cold();
  return point;
}

}  // namespace tilescope
