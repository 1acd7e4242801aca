#include "app/sandbox/reading/token_terms.hpp"

#include <algorithm>

namespace tilescope {
namespace {

/// The parts separated by the signs outside brackets.
std::vector<Tokens> parts_between(Tokens tokens, std::initializer_list<std::string_view> signs) {
  std::vector<Tokens> parts;
  int depth = 0;
  size_t begin = 0;
  for (size_t i = 0; i <= tokens.size(); ++i) {
    if (i == tokens.size() || (depth == 0 && is_any(tokens[i], signs))) {
      if (i > begin) parts.push_back(tokens.subspan(begin, i - begin));
      begin = i + 1;
      continue;
    }
    if (is_any(tokens[i], {"(", "["})) ++depth;
    if (is_any(tokens[i], {")", "]"})) --depth;
  }
  return parts;
}

}  // namespace

bool is_any(const SourceToken& token, std::initializer_list<std::string_view> words) {
  return std::any_of(words.begin(), words.end(), [&](std::string_view word) { return token.is(word); });
}

size_t end_of_expression(Tokens tokens, size_t i, std::initializer_list<std::string_view> stops) {
  int depth = 0;
  for (; i < tokens.size(); ++i) {
    if (depth == 0 && (is_any(tokens[i], {",", ";", ")", "]", "}"}) || is_any(tokens[i], stops))) return i;
    if (is_any(tokens[i], {"(", "[", "{"})) ++depth;
    if (is_any(tokens[i], {")", "]", "}"})) --depth;
  }
  return tokens.size();
}

size_t after_group(Tokens tokens, size_t i) {
  int depth = 0;
  for (; i < tokens.size(); ++i) {
    if (tokens[i].is("(") || tokens[i].is("[") || tokens[i].is("{")) ++depth;
    if ((tokens[i].is(")") || tokens[i].is("]") || tokens[i].is("}")) && --depth == 0) return i + 1;
  }
  return tokens.size();
}

size_t after_angles(Tokens tokens, size_t i) {
  int depth = 0;
  for (; i < tokens.size(); ++i) {
    if (tokens[i].is("<")) ++depth;
    if (tokens[i].is(">") && --depth == 0) return i + 1;
  }
  return tokens.size();
}

std::string text_of(Tokens tokens) {
  std::string text;
  for (const SourceToken& token : tokens) text += (text.empty() ? "" : " ") + std::string(token.text);
  return text;
}

std::vector<Tokens> terms_of(Tokens tokens) {
  while (tokens.size() > 2 && tokens.front().is("(") && end_of_expression(tokens, 1, {}) == tokens.size() - 1)
    tokens = tokens.subspan(1, tokens.size() - 2);
  return parts_between(tokens, {"+", "-"});
}

std::vector<Tokens> factors_of(Tokens tokens) { return parts_between(tokens, {"*"}); }

}  // namespace tilescope
