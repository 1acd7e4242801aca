// Model results as JSON and as text: the occupancy of each launch, and the levels of the memory hierarchy.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "engine/run_result.hpp"
#include "engine/traffic/block_order/model_error.hpp"

namespace tilescope {

/// Adds the modelled counters to the simulated ones, and lists in "badges" which are modelled.
void add_modelled_counters(nlohmann::json& counters, const HierarchyTraffic& hierarchy);
/// The error of a modelled value against hardware, and how it was determined.
nlohmann::json error_json(const ModelError& error);
/// Every level and buffer; the reason if nothing is modelled.
nlohmann::json hierarchy_json(const RunResult& result);
nlohmann::json occupancy_json(const Occupancy& occupancy);
/// The blocks' measured times: SMs, most blocks per SM at a time, total time, and how full the SMs were.
nlohmann::json block_times_json(const BlockTimes& times);
std::string block_times_text(const BlockTimes& times);

/// "8 blocks of 8 warps on each of 132 SMs, 100% of the warps it holds, limited by threads; 0.09 waves [MODELLED]"
std::string occupancy_text(const Occupancy& occupancy, const GpuSpec& gpu);
/// The table of levels, each with its badge.
std::string hierarchy_text(const RunResult& result);

}  // namespace tilescope
