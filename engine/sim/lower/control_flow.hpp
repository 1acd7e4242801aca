// Basic blocks of a function, and the order in which they are laid out.
//
// The layout is a weak topological order (Bourdoncle 1993): a block stands after all its predecessors except those that
// close a loop, and the blocks of a loop stand together, its head first. So the warp's path that is earliest in the
// layout can always run until it meets the others: lanes join at every label where they meet, at the latest behind the
// loop or branch that parted them.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/result.hpp"
#include "engine/sim/ptx/ast.hpp"

namespace tilescope {

struct BasicBlock {
  uint32_t first = 0, end = 0;            // instructions [first, end)
  uint32_t falls_into = kNoIndex;         // the block that follows without a jump
  std::vector<uint32_t> successors = {};  // blocks, the one it falls into last
};

struct ControlFlow {
  std::vector<BasicBlock> blocks;  // in program order
  std::vector<uint32_t> entries;   // the blocks with which subroutines begin, and last that of the kernel
  std::vector<uint32_t> layout;    // the blocks that can be reached
  std::vector<uint32_t> position;  // of a block in the layout; kNoIndex: it cannot be reached
  std::vector<uint32_t> loop_end;  // of a block that heads a loop: position of the loop's last block
};

/// The error names a label that is not there.
Result<ControlFlow> build_control_flow(const PtxFunction& function);

}  // namespace tilescope
