// Which tile the rung "auto" of the lab "matmul-fp32" runs with.
#pragma once

#include "engine/lab.hpp"
#include "engine/specs.hpp"

namespace tilescope {

/// The tile, among six, whose grid is estimated to finish first on this GPU; for the rung "double-buffered".
Pick pick_fp32_tile(const Config& config, const GpuSpec& gpu);

}  // namespace tilescope
