// Fills the slots of special registers and loaded parameters while a kernel runs.
#pragma once

#include <cstdint>

#include "engine/sim/state/launch.hpp"
#include "engine/sim/state/warp.hpp"

namespace tilescope {

void fill_warp_slots(const Program& program, const Dim3& block, Warp& warp);
/// Values that stay constant during a launch: special registers, and the parameters that are loaded.
void fill_launch_slots(const Program& program, const LaunchSetup& setup, uint8_t* uniform);
void fill_block_slots(const Program& program, const Dim3& id, uint64_t index, uint32_t multiprocessors,
                      uint8_t* uniform);

}  // namespace tilescope
