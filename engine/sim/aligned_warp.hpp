// Instructions that all lanes of a warp must execute together: PTX calls them .sync.aligned.
#pragma once

#include "engine/sim/machine.hpp"

namespace tilescope {

/// Reports a warp of which only the lanes of the mask have come.
void report_missing_lanes(Warp& warp, const Operation* operation, uint32_t mask);

/// Every such instruction begins with this. What the missing lanes hold in their registers is used all the same.
inline void expect_whole_warp(Warp& warp, const Operation* operation, uint32_t mask) {
  if (mask != 0xffffffff) [[unlikely]]
    report_missing_lanes(warp, operation, mask);
}

}  // namespace tilescope
