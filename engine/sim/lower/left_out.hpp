// Instructions that the simulator leaves out on purpose (docs/ptx.md), by the names that programmers have for them.
#pragma once

#include <optional>
#include <string_view>

#include "engine/phrase.hpp"

namespace tilescope {

/// What an instruction without a row in the table belongs to; nothing if it is simply unknown.
std::optional<Phrase> what_is_left_out(std::string_view opcode);

}  // namespace tilescope
