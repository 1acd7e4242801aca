// What earlier tunings found best, for rungs that pick their parameters from it.
//
// The maps are those of two folders: the user's cache, MEASURED, of which only maps of this very kernel text count,
// and the recordings that ship with the program, RECORDED.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "engine/lab.hpp"
#include "engine/specs.hpp"
#include "engine/tune/maps/tune_map.hpp"

namespace tilescope {

struct TuningFolders {
  std::filesystem::path kernels, recordings, cache;
};
/// Where they are; the engine says so when it opens. Before that there are none.
void set_tuning_folders(TuningFolders folders);
TuningFolders tuning_folders();

/// Hash of a kernel file with the headers beside it that it includes, directly or not; empty if it cannot be read.
std::string kernel_hash(const std::filesystem::path& kernels, const std::string& file);

/// The maps of a rung, of both folders, for the same problem parameters: nearest sizes first, of these the wanted GPU
/// first, then those measured here, then the newest. Read again when a file of the folders has changed.
std::vector<TuneMap> maps_of(const Lab& lab, const std::string& rung, const Config& config, const GpuSpec& gpu);
bool has_sizes(const TuneMap& map, const Config& config);

/// The parameters for these sizes, and one sentence that says where they are from. The rung's own `defaults` if
/// nothing was tuned.
Pick pick_tuned(const Lab& lab, const std::string& rung, const Config& config, const GpuSpec& gpu);

}  // namespace tilescope
