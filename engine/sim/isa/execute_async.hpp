// The parts of an asynchronous copy that are rare.
#pragma once

#include <array>
#include <cstdint>

#include "engine/sim/machine/machine.hpp"
#include "engine/sim/program/copy_operation.hpp"
#include "engine/sim/state/async_copies.hpp"

namespace tilescope {

struct SourceLanes {
  uint32_t reading = 0;  // something; noted already where not all of them read all bytes
  uint32_t whole = 0;    // all bytes, and are still to be read
};
/// Sets to zero what lanes do not read, and reads where some lanes read less than all bytes.
SourceLanes prepare_source(Warp& warp, const Operation* operation, const uint64_t* addresses, uint64_t offset,
                           uint32_t mask, AsyncCopies::Copy& copy);
/// Lanes that are not all in one buffer, or not aligned: those that may not go on are reported, and copy zeros.
void read_lane_by_lane(Warp& warp, uint32_t site, const uint64_t* addresses, uint64_t offset, uint32_t mask,
                       AsyncCopies::Copy& copy);
/// The same of where they write; those that may not go on copy nothing.
void find_targets(Warp& warp, uint32_t site, const uint64_t* addresses, uint64_t offset, uint32_t mask,
                  AsyncCopies::Copy& copy);

}  // namespace tilescope
