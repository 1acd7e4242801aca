// The interface for following one block of a launch step by step; StepRecorder implements it (steps/step_recorder.hpp).
// The machine asks once per turn of a warp, and lets the follower run the warps of that block instead of run_warp.
#pragma once

#include <cstdint>

#include "engine/finding.hpp"
#include "engine/sim/state/block.hpp"

namespace tilescope {

class BlockFollower {
 public:
  BlockFollower() = default;
  BlockFollower(const BlockFollower&) = delete;
  BlockFollower& operator=(const BlockFollower&) = delete;
  virtual ~BlockFollower() = default;

  virtual bool follows(const Block& block) const = 0;
  /// No more steps are kept: the launch may end.
  virtual bool done() const = 0;
  /// Runs one turn of a warp of the block, like run_warp.
  virtual void run(Block& block, Warp& warp, const Operation* next) = 0;
  /// A check has found something in the running block.
  virtual void note_finding(const Block& block, const Warp& warp, uint32_t operation, uint32_t lane, FindingId id,
                            const Phrase& what) = 0;
  /// The block has ended.
  virtual void end(Block& block) = 0;
};

}  // namespace tilescope
