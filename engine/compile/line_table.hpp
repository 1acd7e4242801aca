// The line table of a cubin (.debug_line, DWARF 2 as ptxas writes it with -lineinfo): which source line an instruction
// of a kernel belongs to. Code that was inlined from a header belongs to the line of the kernel's own file at which it
// was.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace tilescope {

struct LineRow {
  uint64_t address = 0;  // of the first instruction, from the start of the kernel
  uint32_t file = 0;     // index into LineTable::files
  uint32_t line = 0;     // 0: none
};

struct LineTable {
  std::vector<std::string> files;
  std::map<std::string, std::vector<LineRow>> kernels;  // rows of ascending address, by the kernel's symbol
};

/// Empty where there is no line table, or one of another form.
LineTable read_line_table(std::span<const std::byte> cubin);

/// The row that an instruction belongs to; null if there is none.
const LineRow* find_row(const std::vector<LineRow>& rows, uint64_t address);

}  // namespace tilescope
