// The warp simulator: executes NVRTC's PTX on the CPU, 32 lanes at a time, and observes every memory access.
//
//   PTX text → lexer → parser → control flow and liveness → decoded instructions → warps of 32 lanes
//
// Blocks are independent work items for the host threads; result and trace do not depend on the number of threads.
#pragma once

#include <memory>

#include "engine/executor.hpp"

namespace tilescope {

/// threads: host threads; 0 for one per core.
std::unique_ptr<Executor> make_simulator(int threads);

}  // namespace tilescope
