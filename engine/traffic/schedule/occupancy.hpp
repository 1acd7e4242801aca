// How many blocks of a launch an SM holds at a time, what limits them, and the waves in which the grid runs. The rules
// are those of the CUDA occupancy calculator (cuda_occupancy.h): registers are allocated to whole warps, each in a
// sub-partition of the SM, shared memory to whole blocks.
#pragma once

#include <cstdint>

#include "engine/block_schedule.hpp"
#include "engine/specs.hpp"

namespace tilescope {

Occupancy occupancy_of(const GpuSpec& gpu, const BlockUsage& block, uint64_t grid_blocks);

}  // namespace tilescope
