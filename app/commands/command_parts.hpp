// What several commands read in the same way.
#pragma once

#include <string>
#include <vector>

#include "engine/plan.hpp"
#include "engine/result.hpp"

namespace tilescope {

Result<DeviceKind> parse_device(const std::string& text);

/// GPU=NAME among the settings is the GPU that is modelled; it is taken out. Which ones there are, the engine knows.
Result<std::string> take_gpu(std::vector<std::string>& settings);

}  // namespace tilescope
