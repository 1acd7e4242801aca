// Matrix instructions that access memory: finds the rows of isa.def for their opcodes.
#pragma once

#include <string_view>
#include <vector>

#include "engine/sim/lower/resolve.hpp"

namespace tilescope {

/// If the opcode, split at its dots, is one of these, fills in `resolved` and returns true.
bool resolve_matrix(const std::vector<std::string_view>& parts, ResolvedInstruction& resolved);

}  // namespace tilescope
