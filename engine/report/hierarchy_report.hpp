// What the models say, as JSON and as text: occupancy of each launch, and the levels of the memory hierarchy.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "engine/run_result.hpp"
#include "engine/traffic/block_order/model_error.hpp"

namespace tilescope {

/// Adds the modelled counters to the simulated ones, and says in "badges" which those are.
void add_modelled_counters(nlohmann::json& counters, const HierarchyTraffic& hierarchy);
/// How far from hardware a modelled figure was, and how that was found out.
nlohmann::json error_json(const ModelError& error);
/// Every level and buffer; where nothing is modelled, the reason.
nlohmann::json hierarchy_json(const RunResult& result);
nlohmann::json occupancy_json(const Occupancy& occupancy);
/// The blocks' measured times: multiprocessors, the most blocks on one at a time, the time, and how full they were.
nlohmann::json block_times_json(const BlockTimes& times);
std::string block_times_text(const BlockTimes& times);

/// "8 blocks of 8 warps on each of 132 SMs, 100% of the warps it holds, limited by threads; 0.09 waves [MODELLED]"
std::string occupancy_text(const Occupancy& occupancy, const GpuSpec& gpu);
/// The table of levels, each with its badge.
std::string hierarchy_text(const RunResult& result);

}  // namespace tilescope
