// The tile map in words and in JSON: which blocks wrote and read what, as observed.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "engine/run_result.hpp"

namespace tilescope {

std::string tile_text(const RunResult& result);
nlohmann::json tile_json(const RunResult& result);

}  // namespace tilescope
