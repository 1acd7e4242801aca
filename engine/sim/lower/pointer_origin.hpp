// The parameters from which a kernel's stores to global memory may take their addresses, so that only the buffers
// behind them are watched for races.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/sim/lower/liveness.hpp"
#include "engine/sim/lower/resolve.hpp"
#include "engine/sim/program/written_memory.hpp"
#include "engine/sim/ptx/ast.hpp"

namespace tilescope {

/// Flow-insensitive: a register may hold the result of any of its definitions. `parameter_offsets` are those of the
/// function's parameters.
WrittenMemory find_written_memory(const PtxFunction& function, const std::vector<ResolvedInstruction>& resolved,
                                  const std::vector<RegisterUse>& uses, const std::vector<uint32_t>& parameter_offsets);

}  // namespace tilescope
