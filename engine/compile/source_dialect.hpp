// Language forms that nvcc accepts and NVRTC rejects.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "engine/compile/source_tokens.hpp"

namespace tilescope {

/// A compound literal of GNU C: the parentheses of (T){a, b}, also inside a macro definition.
struct CompoundLiteral {
  size_t open = 0, close = 0;  // bytes of the source
};
std::vector<CompoundLiteral> compound_literals(std::string_view source, const std::vector<SourceToken>& tokens);

/// Positions where __global__ or a similar word follows a string without a blank, which makes it a suffix of the
/// string.
std::vector<size_t> marks_after_strings(const std::vector<SourceToken>& tokens);

}  // namespace tilescope
