// The arithmetic of the Sandbox's fields: grid, counts, shared bytes and scalars may depend on n.
//
//     n   4096   2^20   1<<20   64k   0x10   n*4   ceil(n/256)   (n + 255) / 256   min(n, 1024)   log2(n)
//
// `/` divides without rounding; a field that takes whole numbers reports a fractional result. Names are n, the kernel's
// whole-number parameters, block.x …, grid.x ….
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/sandbox/reading/problem.hpp"

namespace tilescope {

/// The value of a name; nothing if there is no such name; a Problem if it has no value.
using NameLookup = std::function<std::optional<Checked<long double>>(std::string_view name)>;

/// long double holds every 64-bit integer.
Checked<long double> evaluate(std::string_view text, const NameLookup& lookup);

/// The same for a whole number in [low, high].
Checked<long double> evaluate_whole(std::string_view text, const NameLookup& lookup, long double low, long double high);

/// "rows, cols", "rows x cols", "64x32": the extents' texts, outermost first; commas inside brackets do not split.
std::vector<std::string> split_extents(std::string_view text);
/// The same, split only at commas.
std::vector<std::string> split_at_commas(std::string_view text);

/// "4,294,967,296", "0.5": for sentences.
std::string value_as_text(long double value);

}  // namespace tilescope
