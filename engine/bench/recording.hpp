// SpeedReports as JSON files: assets/recordings/<lab>.<gpu>.json, and <lab>-map.<gpu>.json.
//
// Format 3 is a sweep, format 4 a scheme map, whose points name the parameters that each was compiled with. Formats 1
// and 2 are the same two with the rate of each point in place of its bytes; they are read and no longer written. A file
// that is truncated, altered (its sha256 does not match), or of another format version is refused with a sentence; the
// program goes on without it.
//
// A recording holds what was measured and nothing that follows from it. Times have six significant digits, sizes and
// counts are exact, and a timing point is one line.
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
/// Badge of the report read is recorded.
Result<SpeedReport> read_recording(const std::filesystem::path& file);

struct Recordings {
  std::vector<SpeedReport> reports;
  std::vector<Error> refused;  // one per file that was not accepted
  /// The newest of the lab for the same problem (named choices such as the type of the elements, and parameters that
  /// are Param::of_problem) and over the lab's own shapes, a sweep or the lab's scheme map; null if there is none.
  const SpeedReport* find(const Lab& lab, const Config& config, bool map = false) const;
  const SpeedReport* find(const std::string& lab) const;  // the newest sweep of this name, or null
};
/// Every *.json of the folder. A missing folder gives none.
Recordings read_recordings(const std::filesystem::path& folder);

}  // namespace tilescope
