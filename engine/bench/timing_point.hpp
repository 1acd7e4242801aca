// Summarises a series of samples as one point of a plot.
#pragma once

#include <span>

#include "engine/gpu/timing_method.hpp"
#include "engine/run_result.hpp"

namespace tilescope {

/// Median, interval and useful bytes; the caller fills in size and clock.
TimingPoint make_point(std::span<const double> samples, double useful_bytes, const TimingMethod& method);

}  // namespace tilescope
