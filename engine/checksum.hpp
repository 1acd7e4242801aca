// The checksum that a host program prints for each output, and that a run reports of the same buffer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace tilescope {

/// FNV-1a over the bytes, 64 bits (Fowler, Noll, Vo): http://www.isthe.com/chongo/tech/comp/fnv/
constexpr uint64_t checksum_of(std::span<const std::byte> bytes) {
  uint64_t hash = 0xcbf29ce484222325U;
  for (const std::byte byte : bytes) hash = (hash ^ static_cast<uint64_t>(byte)) * 0x100000001b3U;
  return hash;
}

}  // namespace tilescope
