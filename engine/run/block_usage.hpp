// What the blocks of a run's launches take of a multiprocessor, and how many of them it holds.
#pragma once

#include "engine/run_result.hpp"

namespace tilescope {

/// Of one block of the launch: its threads and dynamic shared memory, and the registers, static shared memory and
/// barriers of the compiled kernel; a kernel that the module does not have counts with none of these.
BlockUsage usage_of(const CompiledModule& module, const Launch& launch);

/// Fills in usage, occupancy and waves of each launch of the plan, on the modelled GPU.
void find_occupancy(RunResult& result);

}  // namespace tilescope
