// Maps of tuning as JSON files: the cache in the user's folder, and the recordings in assets/recordings/tune.
//
// A file that is truncated, altered (its sha256 does not match) or of an unknown format is refused with one sentence;
// the program continues without it, and tuning writes it anew.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "engine/result.hpp"
#include "engine/tune/maps/tune_map.hpp"

namespace tilescope {

nlohmann::json to_json(const TuneMap& map);
Result<TuneMap> tune_map_from_json(const nlohmann::json& document, const std::string& source);

Result<void> write_tune_map(const TuneMap& map, const std::filesystem::path& file);
Result<TuneMap> read_tune_map(const std::filesystem::path& file);

struct TuneMaps {
  std::vector<TuneMap> maps;
  std::vector<Error> refused;  // one for each file that was not accepted
};
/// Every *.json of the folder, newest map first. A missing folder has none.
TuneMaps read_tune_maps(const std::filesystem::path& folder, Badge badge);

/// Entries that only `older` knows are kept: a second process may have written it meanwhile. Both must have one key.
void merge_entries(TuneMap& map, const TuneMap& older);

}  // namespace tilescope
