// Maps blocks to the elements that they read and write, from the recorded accesses of one launch.
#pragma once

#include <span>

#include "engine/run_result.hpp"

namespace tilescope {

/// launch_index selects the launch; its accesses in the trace are contiguous and grouped by block.
TileMap make_tile_map(const AccessTrace& trace, const Launch& launch, uint32_t launch_index,
                      std::span<const BufferSpec> buffers);

}  // namespace tilescope
