// Finds the point of a report that matches a configuration exactly: a time is shown only for the size that it was
// measured at.
#pragma once

#include <optional>
#include <string>

#include "engine/lab.hpp"
#include "engine/run_result.hpp"

namespace tilescope {

/// The size of the report's points with the configuration's sizes; nothing if the report cannot contain them.
std::optional<int64_t> exact_place(const Lab& lab, const SpeedReport& report, const Config& config);
/// The report's configuration at the size of one of its points.
Config config_of_place(const Lab& lab, const SpeedReport& report, int64_t size);
/// The size of a point as text, or the name of the shape that it numbers.
std::string place_name(const SpeedReport& report, int64_t size);
/// Null if it was not timed.
const TimingPoint* timed_point(const SpeedReport& report, const std::string& series, int64_t size);

}  // namespace tilescope
