// The active calls of a warp: for each lane the call operations, and the registers that their callers need restored.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace tilescope {

class CallStacks {
 public:
  struct Lane {
    std::vector<uint32_t> calls;  // the operations that called, outermost first
    std::vector<uint8_t> saved;   // registers and predicates saved by all of them
  };

  Lane& operator[](size_t lane) { return lanes_[lane]; }
  /// A block ended before its calls did, or is about to start: the memory is kept.
  void clear() {
    for (Lane& lane : lanes_) {
      lane.calls.clear();
      lane.saved.clear();
    }
  }

 private:
  std::array<Lane, 32> lanes_;
};

}  // namespace tilescope
