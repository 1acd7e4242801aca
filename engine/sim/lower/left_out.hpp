// Instructions that the simulator omits on purpose (docs/ptx.md), by the names that programmers use for them.
#pragma once

#include <optional>
#include <string_view>

#include "engine/phrase.hpp"

namespace tilescope {

/// The feature to which an instruction without a row in the table belongs; nothing if it is simply unknown.
std::optional<Phrase> what_is_left_out(std::string_view opcode);

}  // namespace tilescope
