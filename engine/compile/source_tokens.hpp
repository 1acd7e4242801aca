// The tokens of a CUDA C++ source, as far as needed to find its declarations: comments are skipped, a preprocessor
// directive is one token, and macros are not expanded.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace tilescope {

struct SourceToken {
  enum class Kind : unsigned char { name, number, string, punctuation, directive };
  Kind kind = Kind::punctuation;
  std::string_view text;  // points into the source; "::", "->" and "<<<" are one token
  size_t offset = 0;

  bool is(std::string_view wanted) const { return kind != Kind::string && text == wanted; }
  size_t end() const { return offset + text.size(); }
};

/// An unclosed comment ends with the text, an unclosed string with the line.
std::vector<SourceToken> source_tokens(std::string_view text);

/// The name of a directive: "include" of "#  include <x>"; empty for other tokens.
std::string_view directive_name(const SourceToken& token);
/// The text after the directive's name, trimmed.
std::string_view directive_rest(const SourceToken& token);

}  // namespace tilescope
