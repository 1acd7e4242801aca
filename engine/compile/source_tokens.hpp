// The tokens of a CUDA C++ source, as far as telling its declarations apart needs them: comments are passed over,
// a preprocessor directive is one token, and what a macro stands for is not looked at.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace tilescope {

struct SourceToken {
  enum class Kind : unsigned char { name, number, string, punctuation, directive };
  Kind kind = Kind::punctuation;
  std::string_view text;  // into the source; "::", "->" and "<<<" are one token
  size_t offset = 0;

  bool is(std::string_view wanted) const { return kind != Kind::string && text == wanted; }
  size_t end() const { return offset + text.size(); }
};

/// What is not closed (a comment, a string) ends with the text or the line.
std::vector<SourceToken> source_tokens(std::string_view text);

/// The name of a directive: "include" of "#  include <x>"; empty for other tokens.
std::string_view directive_name(const SourceToken& token);
/// What follows the directive's name, without blanks at its ends.
std::string_view directive_rest(const SourceToken& token);

}  // namespace tilescope
