// The video instructions: from an opcode and its operands' parts to the modifiers that their handler reads.
#pragma once

#include <optional>

#include "engine/sim/program/video.hpp"
#include "engine/sim/ptx/ast.hpp"

namespace tilescope {

/// Nothing if this is not a video instruction, or one that does not exist.
std::optional<VideoModifiers> resolve_video(const PtxInstruction& instruction);

}  // namespace tilescope
