// Proves that a block hangs: each of its warps waits at a barrier, or returns to a previous state while nothing but its
// own registers has changed. Unless a different block writes to memory, this repeats forever. Hangs that cannot be
// proved this way (a loop that counts, say) are caught by the instruction budgets.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/sim/state/block.hpp"

namespace tilescope {

class HangWatch {
 public:
  /// `changes` counts the atomic operations that have changed memory.
  HangWatch(const Program& program, const uint64_t& changes) : program_(program), changes_(changes) {}

  /// Whether the block's warps repeat the same states forever unless other blocks change memory; runs each of them for
  /// a while.
  bool repeats(Block& block);

 private:
  void find_effects();
  bool watch_warp(Block& block, Warp& warp);

  const Program& program_;
  const uint64_t& changes_;
  std::vector<bool> effects_;  // by operation: changes more than its warp's registers; filled on first use
};

}  // namespace tilescope
