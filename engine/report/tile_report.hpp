// The tile map as text and as JSON: what each block wrote and read, as observed.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "engine/run_result.hpp"

namespace tilescope {

std::string tile_text(const RunResult& result);
nlohmann::json tile_json(const RunResult& result);

}  // namespace tilescope
