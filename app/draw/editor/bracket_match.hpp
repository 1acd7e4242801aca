// The bracket that matches the one at the cursor. Brackets in comments and strings are ignored.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "app/draw/editor/text_buffer.hpp"
#include "app/draw/editor/tokenizer.hpp"

namespace tilescope {

using TokensOf = std::function<std::span<const Token>(size_t line)>;

/// Both brackets, the one at the cursor first: the one after the cursor, else the one before it. Nothing if there is no
/// bracket, or no matching one. `cursor.column` is in bytes.
std::optional<std::pair<TextPosition, TextPosition>> matching_brackets(const std::vector<std::string>& lines,
                                                                       const TokensOf& tokens, TextPosition cursor);

}  // namespace tilescope
