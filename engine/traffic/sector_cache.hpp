// A cache of lines of 128 bytes in sectors of 32: sets of 16 ways, the least recently used one gives way. Which set a
// line belongs to is hashed, as in the hardware, so that a stride of a power of two does not fall into a few of them.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace tilescope {

class SectorCache {
 public:
  static constexpr size_t kWays = 16;
  static constexpr uint32_t kNoLine = 0xffffffff;

  /// Sectors of a line, one bit each.
  struct State {
    uint8_t valid = 0, dirty = 0;
  };
  struct Evicted {
    uint32_t line = kNoLine;
    State state;
  };

  explicit SectorCache(uint64_t bytes) : sets_(std::max<uint64_t>(1, bytes / (kWays * 128))) {
    Set empty;
    empty.lines.fill(kNoLine);
    cache_.assign(sets_, empty);
  }

  /// The line's state, which is now the most recently used; null if it is not here.
  State* find(uint32_t line) {
    Set& set = set_of(line);
    if (set.lines[0] == line) return set.states.data();
    size_t way = 1;
    while (way < kWays && set.lines[way] != line) ++way;
    if (way == kWays) return nullptr;
    const State state = set.states[way];
    push_front(set, way, line, state);
    return set.states.data();
  }

  /// Takes in a line that is not here; what had to give way is put into `evicted`.
  State* insert(uint32_t line, Evicted& evicted) {
    Set& set = set_of(line);
    evicted = {set.lines[kWays - 1], set.states[kWays - 1]};
    push_front(set, kWays - 1, line, {});
    return set.states.data();
  }

  void clear() {
    for (Set& set : cache_) {
      set.lines.fill(kNoLine);
      set.states.fill({});
    }
  }

  template <class Call>
  void for_each_line(Call call) const {
    for (const Set& set : cache_)
      for (size_t way = 0; way < kWays; ++way)
        if (set.lines[way] != kNoLine) call(set.lines[way], set.states[way]);
  }

 private:
  struct Set {
    std::array<uint32_t, kWays> lines;  // most recently used first
    std::array<State, kWays> states{};
  };

  /// Multiplying by the golden ratio spreads neighbouring lines evenly.
  Set& set_of(uint32_t line) {
    const uint32_t hash = line * 0x9e3779b1U;
    return cache_[static_cast<size_t>((uint64_t{hash} * sets_) >> 32)];
  }
  static void push_front(Set& set, size_t way, uint32_t line, State state) {
    std::copy_backward(set.lines.begin(), set.lines.begin() + static_cast<std::ptrdiff_t>(way),
                       set.lines.begin() + static_cast<std::ptrdiff_t>(way) + 1);
    std::copy_backward(set.states.begin(), set.states.begin() + static_cast<std::ptrdiff_t>(way),
                       set.states.begin() + static_cast<std::ptrdiff_t>(way) + 1);
    set.lines[0] = line;
    set.states[0] = state;
  }

  uint64_t sets_;
  std::vector<Set> cache_;
};

}  // namespace tilescope
