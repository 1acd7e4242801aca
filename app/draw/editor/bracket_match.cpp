#include "app/draw/editor/bracket_match.hpp"

#include <algorithm>
#include <array>

namespace tilescope {
namespace {

constexpr std::array<std::pair<char, char>, 3> kPairs{{{'(', ')'}, {'[', ']'}, {'{', '}'}}};

bool is_code(std::span<const Token> tokens, size_t column) {
  const auto token =
      std::ranges::find_if(tokens, [column](const Token& one) { return column >= one.begin && column < one.end; });
  return token != tokens.end() && token->kind != TokenKind::comment && token->kind != TokenKind::string;
}

/// Scans from the bracket at `at` to the position where the nesting depth is back at zero.
std::optional<TextPosition> partner_of(const std::vector<std::string>& lines, const TokensOf& tokens, TextPosition at,
                                       char same, char other, bool forward) {
  int depth = 0;
  while (true) {
    const std::string& line = lines[at.line];
    const std::span<const Token> line_tokens = tokens(at.line);
    while (at.column < line.size()) {
      const char c = line[at.column];
      if ((c == same || c == other) && is_code(line_tokens, at.column)) depth += c == same ? 1 : -1;
      if (depth == 0) return at;
      if (!forward && at.column == 0) break;
      at.column += forward ? 1 : static_cast<size_t>(-1);
    }
    // Moves to the next non-empty line.
    do {
      if (forward ? at.line + 1 == lines.size() : at.line == 0) return std::nullopt;
      at.line += forward ? 1 : static_cast<size_t>(-1);
    } while (lines[at.line].empty());
    at.column = forward ? 0 : lines[at.line].size() - 1;
  }
}

}  // namespace

std::optional<std::pair<TextPosition, TextPosition>> matching_brackets(const std::vector<std::string>& lines,
                                                                       const TokensOf& tokens, TextPosition cursor) {
  if (cursor.line >= lines.size()) return std::nullopt;
  const std::string& line = lines[cursor.line];
  for (const size_t column : {cursor.column, cursor.column - 1}) {
    if (column >= line.size()) continue;  // also before the first one
    const TextPosition here{cursor.line, column};
    for (const auto& [open, close] : kPairs) {
      if (line[column] != open && line[column] != close) continue;
      if (!is_code(tokens(cursor.line), column)) continue;
      const bool forward = line[column] == open;
      const auto partner = partner_of(lines, tokens, here, line[column], forward ? close : open, forward);
      if (partner) return std::pair(here, *partner);
    }
  }
  return std::nullopt;
}

}  // namespace tilescope
