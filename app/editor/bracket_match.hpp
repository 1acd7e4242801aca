// The bracket that belongs to the one at the cursor. Brackets in comments and strings count for nothing.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "app/editor/text_buffer.hpp"
#include "app/editor/tokenizer.hpp"

namespace tilescope {

using TokensOf = std::function<std::span<const Token>(size_t line)>;

/// Both brackets, the one at the cursor first: that behind it, else that before it. Nothing where there is none, or
/// where it has no partner.
std::optional<std::pair<TextPosition, TextPosition>> matching_brackets(const std::vector<std::string>& lines,
                                                                       const TokensOf& tokens, TextPosition cursor);

}  // namespace tilescope
