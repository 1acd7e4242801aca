// Detects kernels whose blocks wait for each other: they must be launched so that all blocks are resident at once.
#pragma once

#include <string_view>

namespace tilescope {

/// Whether the kernel synchronizes its whole grid (cooperative_groups::grid_group::sync), directly or in a function
/// that it calls: the driver must be told so that it makes all blocks resident at once.
bool waits_for_whole_grid(std::string_view ptx, std::string_view kernel);

}  // namespace tilescope
