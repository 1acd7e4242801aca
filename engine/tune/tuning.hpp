// Tunes a rung on this machine's GPU.
//
//   1  the space, without what cannot run (space.hpp), joined with what the cache knows of it
//   2  a search (search.hpp). A configuration is compiled, run and compared with the reference before it is timed; one
//      that is not right is kept as such
//   3  the finalists, the fastest few, are timed again in turns: the fastest of many noisy times is too fast to be true
//   4  the cache
//
// Times are taken as a benchmark takes them (engine/bench/race.hpp). Whether single cold executions are timed or graphs
// of many is decided once for all configurations, by the shortest time that the GPU's peak rates allow.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>

#include "engine/run/engine.hpp"
#include "engine/tune/search.hpp"
#include "engine/tune/space.hpp"

namespace tilescope {

constexpr size_t kFinalists = 5;

struct TuneRequest {
  SpaceRequest space;
  SearchPlan search;
  std::string command;    // kept in the map
  bool use_cache = true;  // times of an earlier tuning count; false: everything is timed anew
  bool operator==(const TuneRequest&) const = default;
};

struct TuneProgress {
  const TuneMap& map;
  const std::vector<SearchStep>* steps = nullptr;  // those so far, with indices into the map's entries
  size_t of = 0;                                   // candidates
  bool finals = false;                             // the finalists are timed again
};

struct Tuning {
  TuneMap map;
  Search search;
  std::vector<SearchStep> steps;  // with indices into the map's entries
  bool from_cache = false;        // nothing had to be measured
  std::string cache_note;         // why the cache was not used or not written; empty: it was
};

/// Error: no GPU, an impossible space, or a failure that does not concern a single configuration.
Result<Tuning> tune(Engine& engine, const TuneRequest& request,
                    const std::function<void(const TuneProgress&)>& progress, std::stop_token stop);

/// The key of a map in the cache: kernel text with headers, problem, space, GPU, driver and compiler.
std::string tune_key(const TuneMap& map);
/// Fills in everything that the key is made of.
Result<void> describe_map(Engine& engine, const SpaceRequest& space, TuneMap& map);

/// The file of a map in the folder of the cache: "autotune.one-size.0123456789abcdef.json".
std::filesystem::path cache_file(const std::filesystem::path& folder, const TuneMap& map);
/// Takes over what the cache knows. False, with the reason if there is a file: nothing is known.
bool load_cached(TuneMap& map, const std::filesystem::path& folder, std::string& why_not);
/// Writes the map with what a second process wrote meanwhile.
Result<void> store_cached(TuneMap map, const std::filesystem::path& folder);

}  // namespace tilescope
