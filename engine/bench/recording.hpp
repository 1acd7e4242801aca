// SpeedReports as JSON files: assets/recordings/<lab>.<gpu>.json, and <lab>-map.<gpu>.json.
//
// Format 3 is a sweep. Format 4 is a scheme map, whose points name the parameters that each was compiled with. Formats
// 1 and 2 are the same two with each point's rate instead of its bytes; they are still read but no longer written. A
// file that is truncated, altered (its sha256 does not match) or of an unknown format version is rejected with a
// message, and the program continues without it.
//
// A recording holds measurements only, nothing derived from them. Times have six significant digits, sizes and counts
// are exact, and each timing point is one line.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "engine/result.hpp"
#include "engine/run_result.hpp"

namespace tilescope {

nlohmann::json to_json(const SpeedReport& report);
Result<SpeedReport> report_from_json(const nlohmann::json& document, const std::string& source);

Result<void> write_recording(const SpeedReport& report, const std::filesystem::path& file);
/// The report gets the badge "recorded".
Result<SpeedReport> read_recording(const std::filesystem::path& file);

struct Recordings {
  std::vector<SpeedReport> reports;
  std::vector<Error> refused;  // one per file that was not accepted
  /// The lab's newest report for the same problem (the same named choices, such as the element type, and the same
  /// Param::of_problem parameters) and for the lab's own shapes: a sweep, or with `map` its scheme map. One that has
  /// the rung goes first, then one of the GPU with this driver's name. Null if there is none.
  const SpeedReport* find(const Lab& lab, const Config& config, bool map = false, const std::string& driver_name = {},
                          const std::string& rung = {}) const;
  const SpeedReport* find(const std::string& lab) const;  // the newest sweep of the lab, or null
};
/// Every *.json of the folder. A missing folder gives none.
Recordings read_recordings(const std::filesystem::path& folder);

}  // namespace tilescope
