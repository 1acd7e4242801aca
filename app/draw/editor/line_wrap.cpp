#include "app/draw/editor/line_wrap.hpp"

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

/// Where a row may end: preferably after an argument, then after a space, then after an opening bracket.
enum class Break { none, bracket, space, argument };
Break break_behind(std::string_view row, bool comment) {
  const char c = row.back();
  if (c == ' ') return !comment && row.ends_with(", ") ? Break::argument : Break::space;
  if (static_cast<unsigned char>(c) >= 0x80) return Break::space;
  return c == '(' ? Break::bracket : Break::none;
}

}  // namespace

uint32_t cells_of(std::string_view text) {
  uint32_t cells = 0;
  for (size_t at = 0; at < text.size(); at += character_at(text, at).bytes) cells += character_at(text, at).cells;
  return cells;
}

void wrap_line(std::string_view text, uint32_t line, RowWidths cells, std::vector<CodeRow>* rows) {
  const auto size = static_cast<uint32_t>(text.size());
  const size_t indentation = std::min(text.find_first_not_of(' '), text.size());
  // A comment is continued under its text, so that its mark stands alone.
  const std::string_view start = text.substr(indentation);
  const uint32_t mark = start.starts_with("// ") ? 3 : start.starts_with("# ") ? 2 : 0;
  // Arguments aligned far to the right leave no room for further indentation.
  const size_t deepest = std::min<size_t>(indentation, cells.others / 3);
  const uint32_t hanging = static_cast<uint32_t>(deepest) + (mark != 0 ? mark : 4);
  uint32_t begin = 0, indent = 0;
  for (uint32_t row = 0;; ++row) {
    const uint32_t whole = row < cells.short_rows ? cells.first : cells.others;
    const uint32_t room = std::max(whole > indent ? whole - indent : 0U, 8U);
    uint32_t at = begin, used = 0, end = begin;
    Break best = Break::none;
    while (at < size) {
      const Character next = character_at(text, at);
      // Spaces at the end of a row may overhang.
      if (used + next.cells > room && text[at] != ' ') break;
      used += next.cells;
      at = std::min(size, at + static_cast<uint32_t>(next.bytes));
      const Break here = break_behind(text.substr(begin, at - begin), mark != 0);
      // A worse break after a better one counts only if the better one would leave most of the row empty.
      const bool better = here >= best || end - begin < room / 3;
      if (here == Break::none || at <= indentation || !better) continue;
      best = here;
      end = at;
    }
    if (at >= size || end == begin) end = at;
    rows->push_back({line, begin, end, indent});
    if (end >= size) {
      while (++row < cells.short_rows) rows->push_back({line, size, size, indent});
      return;
    }
    begin = end;
    indent = hanging;
  }
}

}  // namespace tilescope
