// Where a configuration stands in a report, exactly: a time is shown for the size that it was taken at and for no
// other one.
#pragma once

#include <optional>
#include <string>

#include "engine/lab.hpp"
#include "engine/run_result.hpp"

namespace tilescope {

/// The size of the report's points that are of these sizes; nothing if the report cannot have any.
std::optional<int64_t> exact_place(const Lab& lab, const SpeedReport& report, const Config& config);
/// The report's configuration at a point's size.
Config config_of_place(const Lab& lab, const SpeedReport& report, int64_t size);
/// The size of a point, or the name of the shape that it numbers.
std::string place_name(const SpeedReport& report, int64_t size);
/// Null where it was not timed.
const TimingPoint* timed_point(const SpeedReport& report, const std::string& series, int64_t size);

}  // namespace tilescope
