// Tokens of a source line, for colouring. Works line by line: the state carries a block comment (or a multi-line Python
// string) into the next line, so that after an edit lines are tokenized only until the state agrees again.
//
//     LineState state = LineState::plain;
//     for (line : lines) tokens = tokenize(Syntax::cuda, line, &state);
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace tilescope {

enum class Syntax : uint8_t { none, cuda, ptx, python, mlir };
/// The syntax of a fenced code block: "cuda", "cpp", "ptx", "python", "mlir"; anything else is none.
Syntax syntax_from(std::string_view name);

enum class TokenKind : uint8_t {
  text,  // operators, brackets, spaces
  identifier,
  keyword,  // if, for, return; PTX instructions; MLIR operations
  type,     // float, int; PTX types; MLIR types
  builtin,  // threadIdx, __global__; names of tl; special PTX registers, such as %tid; MLIR attributes, such as
            // #blocked
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

/// Tokens cover the line without gaps. `state` is the state at the line's start, and is updated to that at its end.
std::vector<Token> tokenize(Syntax syntax, std::string_view line, LineState* state);

}  // namespace tilescope
