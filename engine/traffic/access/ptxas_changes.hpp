// Where ptxas changed the memory operations of the PTX. The simulator executes the PTX; its counts are those of the
// hardware only where the machine code has the same operations, so a line where it has not is marked.
#pragma once

#include <span>
#include <string>

#include "engine/compiled_module.hpp"
#include "engine/run_result.hpp"

namespace tilescope {

/// Compares, line by line, the PTX's memory instructions of one launch with those of its kernel's machine code, and
/// marks the lines of the ledger where the widths differ or operations are gone. More operations of the same width are
/// no change: a loop was unrolled. Lines that call the same line of a header are compared together where one of them
/// seems changed: ptxas may note what it made of both at one of them. False: there is no machine code with source lines
/// to compare with.
bool mark_changed_lines(Traffic& traffic, const AccessTrace& trace, uint32_t launch,
                        std::span<const MachineAccess> machine_code);

/// "PTX: 4 shared loads of 32 bits; machine code: 1 of 128 bits"
std::string describe_change(const LineTraffic& line);

}  // namespace tilescope
