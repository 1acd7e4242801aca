// The top-level definitions of a Python file, found without Python: functions, classes and constants with their lines,
// and which of them a kernel uses. For what shows or compares Triton kernels.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/compile/used_parts.hpp"

namespace tilescope {

struct PythonDefinition {
  enum class Kind : uint8_t { function, type, constant };
  Kind kind = Kind::function;
  std::string name;
  /// 1-based. The first line is that of the comment directly above, or of the first decorator; `line` is that of `def`,
  /// `class` or the assignment.
  uint32_t first_line = 0, line = 0, last_line = 0;
};

/// In the order of the file.
std::vector<PythonDefinition> python_definitions(std::string_view text);

/// The definitions that kernels use, directly or through each other: as used_parts(), for Python.
std::vector<UsedPart> used_python_parts(std::string_view text, std::span<const std::string> kernels);

}  // namespace tilescope
