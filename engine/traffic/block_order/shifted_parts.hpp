// Keys and sets by which order_strips.cpp finds equal parts of footprints.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/traffic/block_order/digest.hpp"

namespace tilescope {

/// A shape, or a pattern's regions, of one FootprintKey: its number, and by how many bytes it is shifted. Equal ones
/// touch the same bytes.
struct ShiftedPart {
  size_t key;
  uint32_t number;
  int64_t offset;
  bool operator==(const ShiftedPart&) const = default;
};
struct ShiftedHash {
  size_t operator()(const ShiftedPart& part) const {
    uint64_t hash = static_cast<uint64_t>(part.offset) * 0x9e3779b97f4a7c15U;
    hash ^= (hash >> 32) ^ (uint64_t{part.number} << 8 | part.key) * 0xbf58476d1ce4e5b9U;
    return hash ^ (hash >> 29);
  }
};
struct DigestHash {
  size_t operator()(const Digest& digest) const { return digest.short_form(); }
};

/// Sectors of a buffer.
class SectorSet {
 public:
  /// Adds all from first to last; returns how many of them it already held.
  uint64_t add(uint64_t first, uint64_t last) {
    if (last / 64 >= words_.size()) words_.resize(last / 64 * 5 / 4 + 1, 0);
    uint64_t held = 0;
    for (uint64_t word = first / 64; word <= last / 64; ++word) {
      uint64_t bits = ~uint64_t{0};
      if (word == first / 64) bits &= ~uint64_t{0} << first % 64;
      if (word == last / 64) bits &= ~uint64_t{0} >> (63 - last % 64);
      held += static_cast<uint64_t>(std::popcount(words_[word] & bits));
      words_[word] |= bits;
    }
    return held;
  }

 private:
  std::vector<uint64_t> words_;
};

}  // namespace tilescope
