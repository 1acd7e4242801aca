// Screen rows for the lines of a source text: a line that is too long continues on the next row, indented four cells
// more than its start. A cell is the width of one character of the code font; Chinese characters take two.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tilescope {

/// Bytes [begin, end) of a line, drawn `indent` cells from the left.
struct CodeRow {
  uint32_t line = 0, begin = 0, end = 0, indent = 0;
  bool operator==(const CodeRow&) const = default;
};

/// Width of a line's rows in cells: the first `short_rows` rows may be shorter, for what is drawn beside them. A line
/// has at least this many rows.
struct RowWidths {
  uint32_t first, others;
  uint32_t short_rows = 1;
};
/// Appends the rows of one line. Breaks after arguments, then after spaces, then after opening brackets; elsewhere only
/// if a word is longer than a row. At least one row, even for an empty line.
void wrap_line(std::string_view text, uint32_t line, RowWidths cells, std::vector<CodeRow>* rows);

/// Width of a text in cells.
uint32_t cells_of(std::string_view text);

}  // namespace tilescope
