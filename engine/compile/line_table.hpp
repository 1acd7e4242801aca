// The line table of a cubin (.debug_line, DWARF 2 as ptxas writes it with -lineinfo): the source line of each kernel
// instruction. Code inlined from a header is attributed to the line of the kernel's own file at which it was inlined.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace tilescope {

struct LineRow {
  uint64_t address = 0;  // first instruction of the row, from the start of the kernel
  uint32_t file = 0;     // index into LineTable::files
  uint32_t line = 0;     // 0: none
};

struct LineTable {
  std::vector<std::string> files;
  std::map<std::string, std::vector<LineRow>> kernels;  // by the kernel's symbol, rows by ascending address
};

/// Empty if there is no line table, or it has a different format.
LineTable read_line_table(std::span<const std::byte> cubin);

/// The row that contains an instruction; null if there is none.
const LineRow* find_row(const std::vector<LineRow>& rows, uint64_t address);

}  // namespace tilescope
