// Forms of the language that nvcc accepts and NVRTC refuses.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace tilescope {

/// A compound literal of GNU C: the parentheses of (T){a, b}, also in what a macro stands for.
struct CompoundLiteral {
  size_t open = 0, close = 0;  // bytes of the source
};
std::vector<CompoundLiteral> compound_literals(std::string_view source);

/// Where __global__ and its like follow a string without a blank, which makes them a suffix of the string.
std::vector<size_t> marks_after_strings(std::string_view source);

}  // namespace tilescope
