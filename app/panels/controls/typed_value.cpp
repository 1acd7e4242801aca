#include "app/panels/controls/typed_value.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>

#include "engine/numbers.hpp"

namespace tilescope {
namespace {

/// Converts 98,432 and 1_000 for the evaluator: separators between groups of three digits are removed, other commas are
/// kept.
std::string without_separators(std::string_view text) {
  std::string plain;
  const auto is_digit = [&](size_t at) {
    return at < text.size() && std::isdigit(static_cast<unsigned char>(text[at])) != 0;
  };
  for (size_t at = 0; at < text.size(); ++at) {
    const bool groups =
        at > 0 && is_digit(at - 1) && is_digit(at + 1) && is_digit(at + 2) && is_digit(at + 3) && !is_digit(at + 4);
    if ((text[at] == ',' || text[at] == '_') && groups) continue;
    plain += text[at];
  }
  return plain;
}

/// "32, 64, 128, …, 1,024"
std::string listed(std::span<const int64_t> values) {
  constexpr size_t kMost = 8, kFirst = 4;
  std::string text;
  for (size_t i = 0; i < values.size(); ++i) {
    if (values.size() > kMost && i == kFirst) {
      text += ", …";
      i = values.size() - 1;
    }
    text += (text.empty() ? "" : ", ") + with_separators(values[i]);
  }
  return text;
}

}  // namespace

Checked<int64_t> typed_value(std::string_view text, const TypedRange& range, const NameLookup& lookup) {
  // The evaluator gets no range, so that a value out of range gets the sentence below, which names both ends.
  constexpr long double kWhole = 9e18L;
  const auto value = evaluate_whole(without_separators(text), lookup, -kWhole, kWhole);
  if (!value) return tl::unexpected(value.error());
  const auto whole = static_cast<int64_t>(std::llround(*value));
  if (whole < range.low || whole > range.high)
    return wrong("controls.out_of_range", {{"value", with_separators(whole)},
                                           {"low", with_separators(range.low)},
                                           {"high", with_separators(range.high)}});
  if (!range.values.empty() && !std::ranges::binary_search(range.values, whole))
    return wrong("controls.not_a_value", {{"value", with_separators(whole)}, {"values", listed(range.values)}});
  return whole;
}

}  // namespace tilescope
