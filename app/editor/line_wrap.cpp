#include "app/editor/line_wrap.hpp"

#include <algorithm>

namespace tilescope {
namespace {

/// Bytes and cells of the character at `at`.
struct Character {
  size_t bytes;
  uint32_t cells;
};
Character character_at(std::string_view text, size_t at) {
  const auto lead = static_cast<unsigned char>(text[at]);
  if (lead < 0x80) return {1, 1};
  if (lead < 0xE0) return {2, 1};
  return {lead < 0xF0 ? size_t{3} : size_t{4}, lead >= 0xE3 ? 2U : 1U};
}

bool breaks_behind(std::string_view text, size_t end) {
  const char c = text[end - 1];
  return c == ' ' || c == ',' || c == '(' || static_cast<unsigned char>(c) >= 0x80;
}

}  // namespace

uint32_t cells_of(std::string_view text) {
  uint32_t cells = 0;
  for (size_t at = 0; at < text.size(); at += character_at(text, at).bytes) cells += character_at(text, at).cells;
  return cells;
}

void wrap_line(std::string_view text, uint32_t line, uint32_t cells, std::vector<CodeRow>* rows) {
  const auto size = static_cast<uint32_t>(text.size());
  const size_t indentation = std::min(text.find_first_not_of(' '), text.size());
  // A comment continues under its text, so that the slashes stay alone.
  const bool comment = text.substr(indentation).starts_with("// ");
  // Arguments aligned far to the right leave no room for a step further in.
  const size_t deepest = std::min<size_t>(indentation, cells / 3);
  const uint32_t hanging = static_cast<uint32_t>(deepest) + (comment ? 3 : 4);
  uint32_t begin = 0, indent = 0;
  while (true) {
    const uint32_t room = std::max(cells > indent ? cells - indent : 0U, 8U);
    uint32_t at = begin, used = 0, best = begin, comma = begin;
    while (at < size) {
      const Character next = character_at(text, at);
      // Spaces at the end of a row may hang over.
      if (used + next.cells > room && text[at] != ' ') break;
      used += next.cells;
      at = std::min(size, at + static_cast<uint32_t>(next.bytes));
      if (!breaks_behind(text, at) || at <= indentation) continue;
      best = at;
      const bool behind_comma = text.substr(0, at).ends_with(", ");
      if (behind_comma && !comment && used * 2 > room) comma = at;  // whole arguments stay together
    }
    if (comma > begin) best = comma;
    const uint32_t end = at >= size || best == begin ? at : best;
    rows->push_back({line, begin, end, indent});
    if (end >= size) return;
    begin = end;
    indent = hanging;
  }
}

}  // namespace tilescope
