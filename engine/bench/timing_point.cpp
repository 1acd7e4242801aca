#include "engine/bench/timing_point.hpp"

#include <cmath>

#include "engine/bench/measure.hpp"

namespace tilescope {

TimingPoint make_point(std::span<const double> samples, double useful_bytes, const TimingMethod& method) {
  const Interval interval = bootstrap_median(samples);
  TimingPoint point;
  point.median_ms = interval.median;
  point.low_ms = interval.low;
  point.high_ms = interval.high;
  point.samples = static_cast<uint32_t>(samples.size());
  point.useful_bytes = static_cast<uint64_t>(std::llround(useful_bytes));
  point.cold_l2 = method.cold();
  return point;
}

}  // namespace tilescope
