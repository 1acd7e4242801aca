// The basic blocks of a function and their layout order.
//
// The layout is a weak topological order (Bourdoncle 1993): a block follows all its predecessors except those that
// close a loop, and the blocks of a loop are contiguous, its head first. So the warp's path that is earliest in the
// layout can always run until it reaches the others: lanes reconverge at every label where they meet, at the latest
// after the loop or branch that split them.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/result.hpp"
#include "engine/sim/ptx/ast.hpp"

namespace tilescope {

struct BasicBlock {
  uint32_t first = 0, end = 0;            // instructions [first, end)
  uint32_t falls_into = kNoIndex;         // the block that is reached without a jump
  std::vector<uint32_t> successors = {};  // the fall-through block last
};

struct ControlFlow {
  std::vector<BasicBlock> blocks;  // in program order
  std::vector<uint32_t> entries;   // first blocks of the subroutines, and last that of the kernel
  std::vector<uint32_t> layout;    // the reachable blocks
  std::vector<uint32_t> position;  // position of a block in the layout; kNoIndex: unreachable
  std::vector<uint32_t> loop_end;  // for a block that heads a loop: position of the loop's last block
};

/// The error names a label that does not exist.
Result<ControlFlow> build_control_flow(const PtxFunction& function);

}  // namespace tilescope
