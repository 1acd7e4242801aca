// The parts of an asynchronous copy that are rare, and how its operation is laid out.
#pragma once

#include <array>
#include <cstdint>

#include "engine/sim/async_copies.hpp"
#include "engine/sim/machine.hpp"

namespace tilescope {

/// What operand c of a copy says, in Operation::extra.
constexpr uint16_t kWholeSource = 0;    // nothing
constexpr uint16_t kSourceSize = 1;     // how many bytes are read; the rest is zero
constexpr uint16_t kIgnoredSource = 2;  // a predicate: where it holds, everything is zero

/// The offsets of both addresses in Operation::immediate.
constexpr int64_t pack_offsets(int32_t shared, int32_t global) {
  return static_cast<int64_t>(uint64_t{static_cast<uint32_t>(shared)} << 32 | static_cast<uint32_t>(global));
}
constexpr int64_t shared_offset(const Operation& operation) {
  return static_cast<int32_t>(static_cast<uint64_t>(operation.immediate) >> 32);
}
constexpr int64_t global_offset(const Operation& operation) {
  return static_cast<int32_t>(static_cast<uint64_t>(operation.immediate));
}

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
