#include "engine/run/statistics.hpp"

#include <cmath>

#include "engine/run/inputs.hpp"

namespace tilescope {

OutputStatistics count_output(const HostBuffer& buffer, bool started_as_poison) {
  OutputStatistics found;
  found.count = buffer.count();
  double squares = 0;  // sum of squared distances from the running mean (Welford 1962)
  for (size_t i = 0; i < buffer.count(); ++i) {
    if (started_as_poison && count_poison(buffer, i, i + 1) > 0) {
      ++found.untouched;
      continue;
    }
    const double value = value_at(buffer, i);
    if (std::isnan(value)) {
      ++found.nan;
      continue;
    }
    if (std::isinf(value)) {
      ++found.infinite;
      continue;
    }
    if (value == 0) ++found.zeros;
    if (found.finite == 0 || value < found.low) found.low = value, found.low_index = i;
    if (found.finite == 0 || value > found.high) found.high = value, found.high_index = i;
    ++found.finite;
    const double distance = value - found.mean;
    found.mean += distance / static_cast<double>(found.finite);
    squares += distance * (value - found.mean);
  }
  if (found.finite > 0) found.deviation = std::sqrt(squares / static_cast<double>(found.finite));
  return found;
}

}  // namespace tilescope
