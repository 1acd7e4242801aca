// Kernels whose blocks wait for one another have to be launched so that all of them run at once.
#pragma once

#include <string_view>

namespace tilescope {

/// Whether the kernel waits for its whole grid (cooperative_groups::grid_group::sync), itself or in what it calls: the
/// driver has to be told, so that it starts all blocks at once.
bool waits_for_whole_grid(std::string_view ptx, std::string_view kernel);

}  // namespace tilescope
