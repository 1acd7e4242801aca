// Which PTX of a lab's Triton rungs ships with the program.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "engine/lab.hpp"
#include "engine/run/engine.hpp"

namespace tilescope {

/// The questions to Triton's compiler (engine/compile/triton/shipped.hpp) of a rung at its defaults on the simulator,
/// and at the settings with which the window opens the lab. Empty for a rung in a different language.
std::vector<nlohmann::json> shipped_questions(const Engine& engine, const Lab& lab, const Rung& rung);

}  // namespace tilescope
