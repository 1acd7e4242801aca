// A value typed over a slider's: a number or arithmetic, as in the Sandbox's fields. No ImGui.
//
//     98432   98,432   2^16+5   64*1024   1<<20   96k   n/2
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "app/sandbox/reading/expression.hpp"

namespace tilescope {

/// The allowed values: whole numbers in [low, high]; if there are `values`, only those.
struct TypedRange {
  int64_t low = 0, high = 0;
  std::span<const int64_t> values = {};  // ascending
};

/// The value, or why it is rejected; an invalid value is never replaced by a valid one.
Checked<int64_t> typed_value(std::string_view text, const TypedRange& range, const NameLookup& lookup);

}  // namespace tilescope
