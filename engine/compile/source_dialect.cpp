#include "engine/compile/source_dialect.hpp"

#include <algorithm>
#include <array>

namespace tilescope {
namespace {

using Kind = SourceToken::Kind;
using Tokens = std::vector<SourceToken>;

/// Whether an expression may begin after this token, so that a parenthesis there does not belong to a call or an if.
bool expression_may_follow(const SourceToken& token) {
  if (token.kind == Kind::name) return token.is("return");
  constexpr std::array<std::string_view, 19> kSigns{"=", "(", "{", ",", "?", ":", "+", "-",  "*", "/",
                                                    "<", "!", "&", "|", "^", "%", "~", "==", ";"};
  return token.kind == Kind::punctuation && std::ranges::find(kSigns, token.text) != kSigns.end();
}

/// The token that closes (T), where T is one name, possibly qualified or with template arguments; 0: not such a form.
size_t end_of_type(const Tokens& tokens, size_t open) {
  size_t names = 0;
  int angles = 0;
  for (size_t i = open + 1; i < tokens.size(); ++i) {
    const SourceToken& token = tokens[i];
    if (token.is(")")) return names > 0 && angles == 0 ? i : 0;
    if (token.is("<")) ++angles;
    if (token.is(">")) --angles;
    const bool inside = angles > 0 || token.is(">");
    if (token.kind == Kind::name && !inside && names++ > 0 && !tokens[i - 1].is("::")) return 0;
    if (token.kind != Kind::name && token.kind != Kind::number && !token.is("::") && !token.is("<") && !token.is(">") &&
        !(inside && token.is(",")))
      return 0;
  }
  return 0;
}

void add_compound_literals(const Tokens& tokens, size_t offset, std::vector<CompoundLiteral>& found) {
  for (size_t i = 0; i + 2 < tokens.size(); ++i) {
    if (!tokens[i].is("(") || (i > 0 && !expression_may_follow(tokens[i - 1]))) continue;
    const auto from = tokens.begin() + static_cast<std::ptrdiff_t>(i < 3 ? 0 : i - 3);
    const auto here = tokens.begin() + static_cast<std::ptrdiff_t>(i);
    if (std::any_of(from, here, [](const SourceToken& token) { return token.is("operator"); })) continue;
    const size_t close = end_of_type(tokens, i);
    if (close == 0 || close + 1 >= tokens.size() || !tokens[close + 1].is("{")) continue;
    found.push_back({offset + tokens[i].offset, offset + tokens[close].offset});
  }
}

}  // namespace

std::vector<CompoundLiteral> compound_literals(std::string_view source, const Tokens& tokens) {
  std::vector<CompoundLiteral> found;
  add_compound_literals(tokens, 0, found);
  for (const SourceToken& token : tokens) {
    if (directive_name(token) != "define") continue;
    const std::string_view body = directive_rest(token);
    Tokens words = source_tokens(body);
    // The parameters of NAME(a, b) do not belong to its replacement text.
    auto first = words.empty() ? words.begin() : words.begin() + 1;
    if (first != words.end() && first->is("(") && first->offset == words[0].end())
      first = std::ranges::find_if(words, [](const SourceToken& word) { return word.is(")"); });
    if (first != words.end() && first->is(")")) ++first;
    words.erase(words.begin(), first);
    add_compound_literals(words, static_cast<size_t>(body.data() - source.data()), found);
  }
  std::ranges::sort(found, {}, &CompoundLiteral::open);
  return found;
}

std::vector<size_t> marks_after_strings(const Tokens& tokens) {
  std::vector<size_t> found;
  for (size_t i = 1; i < tokens.size(); ++i)
    if (tokens[i - 1].kind == Kind::string && tokens[i - 1].end() == tokens[i].offset &&
        tokens[i].text.starts_with("__"))
      found.push_back(tokens[i].offset);
  return found;
}

}  // namespace tilescope
