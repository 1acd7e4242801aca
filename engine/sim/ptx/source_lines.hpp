// The line of the kernel's own source file that an instruction comes from.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "engine/sim/ptx/ast.hpp"

namespace tilescope {

struct SourceLine {
  uint32_t file = 0;  // number in .file
  uint32_t line = 0;  // 0: unknown
};

/// Whether a file is one of the CUDA toolkit's own headers, in which users do not look for errors.
bool is_toolkit_header(std::string_view path);

class SourceLines {
 public:
  explicit SourceLines(const PtxFunction& function);
  /// The line for an entry of PtxFunction::locations: the innermost line that is in the kernel's own file; code from a
  /// header gets the line at which it was inlined.
  SourceLine find(uint32_t location) const;
  /// The line itself, in whichever file.
  SourceLine innermost(uint32_t location) const;

 private:
  /// Line 0 marks code that the compiler could not attribute: it gets the line of the code before it.
  uint32_t attributed(uint32_t location) const;

  using Key = std::tuple<uint32_t, uint32_t, uint32_t>;  // file, line, column
  const PtxFunction& function_;
  uint32_t own_file_ = 0;
  std::map<Key, std::vector<uint32_t>> inlined_;  // locations that are inlined somewhere, ascending
};

}  // namespace tilescope
