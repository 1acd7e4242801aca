// When tiles are copied and computed if a loop keeps some buffers: the copy of tile k + buffers − 1 starts when the
// computation of tile k starts. No drawing.
#pragma once

#include <cstdint>
#include <vector>

namespace tilescope {

struct PipelinedTile {
  uint32_t buffer = 0;
  uint32_t copy_begin = 0, copy_end = 0;        // in units of the time that computing a tile takes
  uint32_t compute_begin = 0, compute_end = 0;  // one unit long
};

/// With one buffer, a tile is copied after the tile before it was computed. `copy_time` is how long each copy takes,
/// however many are in flight: it is a latency, and memory is not the limit.
std::vector<PipelinedTile> pipelined_tiles(uint32_t tiles, uint32_t buffers, uint32_t copy_time);

}  // namespace tilescope
