#include "engine/bench/timing_point.hpp"

#include "engine/bench/measure.hpp"

namespace tilescope {

TimingPoint make_point(std::span<const double> samples, double useful_bytes, const TimingMethod& method) {
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
