// Proves that a block hangs: each of its warps waits at a barrier, or comes back to a state in which it has been before
// without anything but its own registers having changed. As long as nobody else writes to memory, it then continues
// like that for ever. What is not proved (a loop that counts, say) is left to the budgets of instructions.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/sim/state/block.hpp"

namespace tilescope {

class HangWatch {
 public:
  /// `changes` counts the atomic operations that changed memory.
  HangWatch(const Program& program, const uint64_t& changes) : program_(program), changes_(changes) {}

  /// Whether the block's warps repeat the same states for ever, as long as nobody else changes memory; runs each of
  /// them for a while.
  bool repeats(Block& block);

 private:
  void find_effects();
  bool watch_warp(Block& block, Warp& warp);

  const Program& program_;
  const uint64_t& changes_;
  std::vector<bool> effects_;  // by operation: changes more than its warp's registers; filled when first needed
};

}  // namespace tilescope
