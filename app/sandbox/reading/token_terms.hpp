// Expressions of C++ as tokens: where one ends, and its terms and factors. Based on brackets alone: types, casts and
// templates are treated as plain tokens.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/compile/source_tokens.hpp"

namespace tilescope {

using Tokens = std::span<const SourceToken>;

bool is_any(const SourceToken& token, std::initializer_list<std::string_view> words);

/// The end of the expression that begins at i: the next comma, semicolon, closing bracket of the enclosing code, or one
/// of `stops` outside brackets.
size_t end_of_expression(Tokens tokens, size_t i, std::initializer_list<std::string_view> stops);
/// The token after the bracket group that opens at i; the end if it does not close.
size_t after_group(Tokens tokens, size_t i);
/// The token after a list of template arguments that opens at i.
size_t after_angles(Tokens tokens, size_t i);
/// The tokens joined by blanks.
std::string text_of(Tokens tokens);
/// Terms of a sum, brackets kept together; a pair of brackets around the whole is removed.
std::vector<Tokens> terms_of(Tokens tokens);
/// Factors of a product, brackets kept together.
std::vector<Tokens> factors_of(Tokens tokens);

}  // namespace tilescope
