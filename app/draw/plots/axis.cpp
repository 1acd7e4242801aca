#include "app/draw/plots/axis.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace tilescope::plots {
namespace {

constexpr int kMostTicks = 12;
constexpr double kSlack = 1e-9;  // relative to the range: a tick at its very end counts as inside

std::string grouped(std::string digits) {
  const size_t point = digits.find('.');
  auto place = static_cast<ptrdiff_t>(point == std::string::npos ? digits.size() : point) - 3;
  const ptrdiff_t first = digits.starts_with('-') ? 1 : 0;
  for (; place > first; place -= 3) digits.insert(static_cast<size_t>(place), 1, ',');
  return digits;
}

/// The smallest of 1, 2, 5 · 10^k that is at least `least`.
double tidy_step(double least) {
  const double power = std::pow(10.0, std::floor(std::log10(least)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (factor * power >= least * (1 - kSlack)) return factor * power;
  return 10 * power;
}

std::vector<Tick> linear_ticks(double low, double high, int most) {
  const double step = tidy_step((high - low) / std::max(1, most - 1));
  const double slack = (high - low) * kSlack;
  std::vector<Tick> ticks;
  for (double k = std::ceil((low - slack) / step); k * step <= high + slack; ++k)
    ticks.push_back({k * step, number_text(k * step, step)});
  return ticks;
}

std::vector<Tick> log2_ticks(double low, double high, int most) {
  const int first = static_cast<int>(std::ceil(std::log2(low) - kSlack));
  const int last = static_cast<int>(std::floor(std::log2(high) + kSlack));
  int step = 1;
  while ((last - first) / step + 1 > std::max(2, most)) step *= 2;
  const bool digits = last <= 10 && first >= 0;
  std::vector<Tick> ticks;
  for (int exponent = first; exponent <= last; exponent += step) {
    const double value = std::ldexp(1.0, exponent);
    ticks.push_back({value, digits ? number_text(value, 1) : power_of_two_text(exponent)});
  }
  return ticks;
}

}  // namespace

double AxisRange::fraction(double value) const {
  if (scale == AxisScale::linear) return (value - low) / (high - low);
  return (std::log2(value) - std::log2(low)) / (std::log2(high) - std::log2(low));
}

double AxisRange::value(double fraction) const {
  if (scale == AxisScale::linear) return low + fraction * (high - low);
  return std::exp2(std::log2(low) + fraction * (std::log2(high) - std::log2(low)));
}

std::string power_of_two_text(int exponent) {
  static constexpr std::array<const char*, 10> kRaised{"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string text = "2";
  for (const char digit : std::to_string(exponent))
    text += digit == '-' ? "⁻" : kRaised[static_cast<size_t>(digit - '0')];
  return text;
}

std::string size_text(int64_t size) {
  const bool power = size >= 1024 && (size & (size - 1)) == 0;
  if (power) return power_of_two_text(static_cast<int>(std::lround(std::log2(static_cast<double>(size)))));
  return grouped(std::to_string(size));
}

std::string number_text(double value, double step) {
  const int decimals = std::max(0, static_cast<int>(std::ceil(-std::log10(step) - kSlack)));
  if (std::abs(value) < step * kSlack) value = 0;  // no "-0"
  return grouped(fmt::format("{:.{}f}", value, decimals));
}

std::vector<Tick> ticks_of(const AxisRange& range, int most) {
  if (!(range.high > range.low)) return {};
  const bool powers = range.scale == AxisScale::log2 && range.low > 0 && range.high >= 2 * range.low;
  return powers ? log2_ticks(range.low, range.high, most) : linear_ticks(range.low, range.high, most);
}

std::vector<Tick> fitting_ticks(const AxisRange& range, double length, double gap,
                                const std::function<double(std::string_view)>& extent) {
  for (int most = kMostTicks; most >= 2; --most) {
    std::vector<Tick> ticks = ticks_of(range, most);
    bool fits = true;
    double end = -1e30;
    for (const Tick& tick : ticks) {
      const double centre = range.fraction(tick.value) * length;
      const double half = extent(tick.label) / 2;
      fits = fits && centre - half >= end;
      end = centre + half + gap;
    }
    if (fits) return ticks;
  }
  return {};
}

double tidy_limit(double value) {
  if (!(value > 0)) return 1;
  const double step = tidy_step(value / 5);
  return std::ceil(value / step - kSlack) * step;
}

}  // namespace tilescope::plots
