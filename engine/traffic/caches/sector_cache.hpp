// A cache of 128-byte lines with 32-byte sectors: sets of 16 ways with LRU replacement. The set of a line is hashed, as
// in the hardware, so that a power-of-two stride does not map to only a few of them.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

namespace tilescope {

class SectorCache {
 public:
  static constexpr size_t kWays = 16;
  static constexpr uint32_t kNoLine = 0xffffffff;

  /// The sectors of a line, one bit each.
  struct State {
    uint8_t valid = 0;
    uint8_t dirty : 4 = 0;
    uint8_t partial : 4 = 0;  // partially written, the rest is unknown: dirty, not valid
  };
  struct Entry {
    State* state = nullptr;  // null: the line is not in the cache
    size_t place = 0;        // index in the cache, below places(); stable while the line is cached
  };
  struct Evicted {
    uint32_t line = kNoLine;
    State state;
  };

  explicit SectorCache(uint64_t bytes) : cache_(std::max<uint64_t>(1, bytes / (kWays * 128))) {}

  size_t places() const { return cache_.size() * kWays; }

  /// Finds the line and makes it the most recently used.
  Entry find(uint32_t line) {
    const size_t index = set_of(line);
    Set& set = cache_[index];
    const size_t newest = set.order & 15;
    if (set.lines[newest] == line) return {&set.states[newest], index * kWays + newest};
    size_t way = kWays;
    for (size_t i = 0; i < kWays; ++i) way = set.lines[i] == line ? i : way;
    if (way == kWays) return {};
    // Its four bits of the order move to the front; those before it move up.
    const uint64_t other = set.order ^ way * 0x1111111111111111U;
    const uint64_t zero = (other - 0x1111111111111111U) & ~other & 0x8888888888888888U;
    const int place = std::countr_zero(zero) & ~3;
    const uint64_t before = (uint64_t{1} << place) - 1;
    set.order = (set.order & ~before & ~(uint64_t{15} << place)) | (set.order & before) << 4 | way;
    return {&set.states[way], index * kWays + way};
  }

  /// The line's state, if it is cached, without marking it as used.
  State* peek(uint32_t line) {
    Set& set = cache_[set_of(line)];
    for (size_t way = 0; way < kWays; ++way)
      if (set.lines[way] == line) return &set.states[way];
    return nullptr;
  }

  /// Inserts a line that is not cached; the replaced line is returned in `evicted`.
  Entry insert(uint32_t line, Evicted& evicted) {
    const size_t index = set_of(line);
    Set& set = cache_[index];
    const size_t oldest = set.order >> 60;
    set.order = set.order << 4 | oldest;
    evicted = {set.lines[oldest], set.states[oldest]};
    set.lines[oldest] = line;
    set.states[oldest] = {};
    return {&set.states[oldest], index * kWays + oldest};
  }

  template <class Call>
  void for_each_line(Call call) const {
    for (const Set& set : cache_)
      for (size_t way = 0; way < kWays; ++way)
        if (set.lines[way] != kNoLine) call(set.lines[way], set.states[way]);
  }

 private:
  struct Set {
    Set() { lines.fill(kNoLine); }
    std::array<uint32_t, kWays> lines;
    std::array<State, kWays> states{};
    uint64_t order = 0xfedcba9876543210;  // ways, four bits each, the most recently used in the lowest
  };

  /// Multiplying by the golden ratio spreads neighbouring lines evenly.
  size_t set_of(uint32_t line) const {
    const uint32_t hash = line * 0x9e3779b1U;
    return static_cast<size_t>((uint64_t{hash} * cache_.size()) >> 32);
  }

  std::vector<Set> cache_;
};

}  // namespace tilescope
