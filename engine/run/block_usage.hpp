// The SM resources that the blocks of a run's launches need, and how many blocks an SM holds.
#pragma once

#include "engine/run_result.hpp"

namespace tilescope {

/// Resources of one block of the launch: its threads and dynamic shared memory, and the compiled kernel's registers,
/// static shared memory and barriers; the latter are 0 for a kernel that the module does not have.
BlockUsage usage_of(const CompiledModule& module, const Launch& launch);

/// Fills in usage, occupancy and waves of each launch of the plan, on the modelled GPU.
void find_occupancy(RunResult& result);

}  // namespace tilescope
