// Rows of the screen for the lines of a source text: a line that is too long continues on the next row, four cells
// further in than it starts. A cell is the width of one character of the code font; Chinese characters take two.
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

/// Room of a line's rows in cells: the first one, or more, may be shorter, for what stands beside them. A line has at
/// least so many rows.
struct RowWidths {
  uint32_t first, others;
  uint32_t short_rows = 1;
};
/// Appends the rows of one line. Breaks behind arguments, then behind spaces, then behind opening brackets; elsewhere
/// only where a word is longer than a row. At least one row, also for an empty line.
void wrap_line(std::string_view text, uint32_t line, RowWidths cells, std::vector<CodeRow>* rows);

/// Width of a text in cells.
uint32_t cells_of(std::string_view text);

}  // namespace tilescope
