// Whole numbers: formatted for people, and rounded up.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>

namespace tilescope {

/// 98432 → "98,432".
std::string with_separators(int64_t value);
template <std::integral T>
std::string with_separators(T value) {
  return with_separators(static_cast<int64_t>(value));
}
template <std::floating_point T>
std::string with_separators(T value) = delete;  // rounded how?

/// ⌈value / by⌉ for value ≥ 0 and by > 0.
constexpr int64_t ceil_divide(int64_t value, int64_t by) { return (value + by - 1) / by; }

}  // namespace tilescope
