// The point of a plot that a series of samples makes.
#pragma once

#include <span>

#include "engine/gpu/timing_method.hpp"
#include "engine/run_result.hpp"

namespace tilescope {

/// Median, interval and useful bytes; size and clock are for the caller to fill.
TimingPoint make_point(std::span<const double> samples, double useful_bytes, const TimingMethod& method);

}  // namespace tilescope
