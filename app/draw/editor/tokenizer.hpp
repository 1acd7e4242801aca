// Words of a source line, for colouring. One line at a time: the state carries a block comment (or a Python string over
// several lines) into the next line, so that an edit only retokenizes until the state agrees again.
//
//     LineState state = LineState::plain;
//     for (line : lines) tokens = tokenize(Syntax::cuda, line, &state);
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace tilescope {

enum class Syntax : uint8_t { none, cuda, ptx, python };
/// The syntax of a fenced code block: "cuda", "cpp", "ptx", "python"; anything else is none.
Syntax syntax_from(std::string_view name);

enum class TokenKind : uint8_t {
  text,  // operators, brackets, spaces
  identifier,
  keyword,  // if, for, return; PTX instructions
  type,     // float, int; PTX types
  builtin,  // threadIdx, __global__; PTX registers of the machine, such as %tid
  number,
  string,
  comment,
  preprocessor,  // #pragma unroll; PTX directives
};

struct Token {
  uint32_t begin = 0, end = 0;  // bytes of the line
  TokenKind kind = TokenKind::text;
  bool operator==(const Token&) const = default;
};

enum class LineState : uint8_t { plain, block_comment, python_single_quotes, python_double_quotes };

/// Tokens cover the line without gaps. `state` is read as the state at the line's start and left as that at its end.
std::vector<Token> tokenize(Syntax syntax, std::string_view line, LineState* state);

}  // namespace tilescope
