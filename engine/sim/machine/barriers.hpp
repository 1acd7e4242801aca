// What barriers.cpp asks of the barrier instructions (isa/execute_barrier.cpp).
#pragma once

#include "engine/sim/machine/machine.hpp"

namespace tilescope {

/// Of a bar.red, whose barrier has opened: gives its result to the lanes that waited.
void give_votes(Warp& warp, const Operation* operation, uint32_t lanes, const Block::Barrier& barrier);

/// bar.arrive: its lanes do not wait for other warps.
bool goes_on_after(const Operation& operation);

}  // namespace tilescope
