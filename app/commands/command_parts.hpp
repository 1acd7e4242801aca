// Option parsing shared by several commands.
#pragma once

#include <string>
#include <vector>

#include "engine/plan.hpp"
#include "engine/result.hpp"

namespace tilescope {

Result<DeviceKind> parse_device(const std::string& text);

/// Removes GPU=NAME, which selects the modelled GPU, from the settings and returns it. The engine validates the name.
Result<std::string> take_gpu(std::vector<std::string>& settings);

}  // namespace tilescope
