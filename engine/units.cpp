#include "engine/units.hpp"

#include <fmt/format.h>

#include <cmath>
#include <iterator>

#include "engine/numbers.hpp"

namespace tilescope {
namespace {

constexpr const char* kUnits[] = {"B", "KB", "MB", "GB", "TB", "PB"};

}  // namespace

std::string bytes_text(double bytes) {
  // Up to four digits before the next unit: 1,181 KB is more precise than 1.18 MB.
  size_t unit = 0;
  while (std::abs(bytes) >= 9999.5 && unit + 1 < std::size(kUnits)) {
    bytes /= 1000;
    ++unit;
  }
  if (unit == 0 || std::abs(bytes) >= 999.5) return with_separators(std::llround(bytes)) + " " + kUnits[unit];
  return fmt::format("{:.{}f} {}", bytes, std::abs(bytes) < 99.95 ? 1 : 0, kUnits[unit]);
}

std::string three_figures(double bytes) {
  size_t unit = 0;
  while (bytes >= 999.5 && unit + 1 < std::size(kUnits)) {
    bytes /= 1000;
    ++unit;
  }
  const int decimals = unit == 0 || bytes >= 99.95 ? 0 : bytes >= 9.995 ? 1 : 2;
  return fmt::format("{:.{}f} {}", bytes, decimals, kUnits[unit]);
}

std::string percent_text(double fraction) {
  const double percent = fraction * 100;
  if (percent > 99.95 && fraction < 1) return "99.9%";  // 100% is reserved for exactly all
  if (std::abs(percent - std::round(percent)) < 0.05) return fmt::format("{}%", std::llround(percent));
  return fmt::format("{:.1f}%", percent);
}

}  // namespace tilescope
