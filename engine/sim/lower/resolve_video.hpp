// Video instructions: derives the handler's modifiers from the opcode and the operands' parts.
#pragma once

#include <optional>

#include "engine/sim/program/video.hpp"
#include "engine/sim/ptx/ast.hpp"

namespace tilescope {

/// Nothing if this is not a valid video instruction.
std::optional<VideoModifiers> resolve_video(const PtxInstruction& instruction);

}  // namespace tilescope
