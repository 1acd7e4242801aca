// The rare cases of asynchronous copies.
#pragma once

#include <array>
#include <cstdint>

#include "engine/sim/machine/machine.hpp"
#include "engine/sim/program/copy_operation.hpp"
#include "engine/sim/state/async_copies.hpp"

namespace tilescope {

struct SourceLanes {
  uint32_t reading = 0;  // lanes that read something; already noted if not all of them read all bytes
  uint32_t whole = 0;    // lanes that read all bytes and still have to
};
/// Zeroes the bytes that lanes do not read, and performs the reads of lanes that read only some of their bytes.
SourceLanes prepare_source(Warp& warp, const Operation* operation, const uint64_t* addresses, uint64_t offset,
                           uint32_t mask, AsyncCopies::Copy& copy);
/// For lanes that are not all in one buffer, or misaligned: lanes with invalid addresses are reported and copy zeros.
void read_lane_by_lane(Warp& warp, uint32_t site, const uint64_t* addresses, uint64_t offset, uint32_t mask,
                       AsyncCopies::Copy& copy);
/// The same for the targets; lanes with invalid addresses copy nothing.
void find_targets(Warp& warp, uint32_t site, const uint64_t* addresses, uint64_t offset, uint32_t mask,
                  AsyncCopies::Copy& copy);

}  // namespace tilescope
