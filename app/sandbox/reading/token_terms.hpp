// Expressions of C++ as tokens: where one ends, and its terms and factors. A reading by brackets alone: types, casts
// and templates are what their tokens look like.
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

/// The end of the expression that begins at i: a comma, semicolon or closing bracket of the surroundings, or one of
/// `stops` outside brackets.
size_t end_of_expression(Tokens tokens, size_t i, std::initializer_list<std::string_view> stops);
/// The token after the group of brackets that opens at i; the end where it does not close.
size_t after_group(Tokens tokens, size_t i);
/// The token after a list of template arguments that opens at i.
size_t after_angles(Tokens tokens, size_t i);
/// Words with blanks between them.
std::string text_of(Tokens tokens);
/// Terms of a sum, brackets kept together; a pair of brackets around the whole is taken off.
std::vector<Tokens> terms_of(Tokens tokens);
/// Factors of a product, brackets kept together.
std::vector<Tokens> factors_of(Tokens tokens);

}  // namespace tilescope
