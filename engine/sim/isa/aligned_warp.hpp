// Instructions that all lanes of a warp must execute together: PTX calls them .sync.aligned.
#pragma once

#include "engine/sim/machine/machine.hpp"

namespace tilescope {

/// Not all lanes have come to the instruction. False: some may still come, and the warp is to leave() at it; true: they
/// will not, which is reported, and the instruction is to be executed with what the registers of the others hold.
bool goes_on_without_lanes(Warp& warp, const Operation* operation, uint32_t mask);

/// Handlers of such instructions begin with this.
inline bool is_whole_warp(Warp& warp, const Operation* operation, uint32_t mask) {
  return mask == 0xffffffff || goes_on_without_lanes(warp, operation, mask);
}

}  // namespace tilescope
