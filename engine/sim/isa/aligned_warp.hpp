// Instructions that all lanes of a warp must execute together: PTX calls them .sync.aligned.
#pragma once

#include "engine/sim/machine/machine.hpp"

namespace tilescope {

/// Called when not all lanes have reached the instruction. False: some may still reach it, and the warp must leave()
/// here. True: they never will, which is reported, and the instruction is executed with the register contents of the
/// missing lanes.
bool goes_on_without_lanes(Warp& warp, const Operation* operation, uint32_t mask);

/// Handlers of aligned instructions begin with this.
inline bool is_whole_warp(Warp& warp, const Operation* operation, uint32_t mask) {
  return mask == 0xffffffff || goes_on_without_lanes(warp, operation, mask);
}

}  // namespace tilescope
