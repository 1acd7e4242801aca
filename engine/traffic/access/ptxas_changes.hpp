// Finds lines where ptxas changed the memory operations of the PTX. The simulator executes the PTX; its counts match
// the hardware only if the machine code has the same operations, so lines where they differ are marked.
#pragma once

#include <span>
#include <string>

#include "engine/compiled_module.hpp"
#include "engine/run_result.hpp"

namespace tilescope {

/// Compares, line by line, the PTX's memory instructions of one launch with those of its kernel's machine code, and
/// marks the lines of the ledger where the widths differ or operations are missing. More operations of the same width
/// are not a change: a loop was unrolled. If a line that calls a line of a header seems changed, all lines that call it
/// are compared together, because ptxas may attribute the code of all calls to one of them. False: there is no machine
/// code with source lines to compare with.
bool mark_changed_lines(Traffic& traffic, const AccessTrace& trace, uint32_t launch,
                        std::span<const MachineAccess> machine_code);

/// "PTX: 4 shared loads of 32 bits; machine code: 1 of 128 bits"
std::string describe_change(const LineTraffic& line);

}  // namespace tilescope
