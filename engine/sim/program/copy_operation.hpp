// Layout of the operation of an asynchronous copy (cp.async): the decoder packs it, and its handler unpacks it.
#pragma once

#include <cstdint>

#include "engine/sim/program/program.hpp"

namespace tilescope {

/// Meaning of operand c of a copy, in Operation::extra.
constexpr uint16_t kWholeSource = 0;    // nothing
constexpr uint16_t kSourceSize = 1;     // number of bytes read; the rest is zero
constexpr uint16_t kIgnoredSource = 2;  // a predicate: if it holds, all bytes are zero

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

}  // namespace tilescope
