// The instructions of matrices that access memory: from their opcodes to the rows of isa.def.
#pragma once

#include <string_view>
#include <vector>

#include "engine/sim/lower/resolve.hpp"

namespace tilescope {

/// Fills in `resolved` if the opcode, cut at its dots, is one of these; says whether it is.
bool resolve_matrix(const std::vector<std::string_view>& parts, ResolvedInstruction& resolved);

}  // namespace tilescope
