// Arithmetic of axes: the position of a value, the ticks of an axis and their labels. No ImGui.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace tilescope::plots {

enum class AxisScale { linear, log2 };

struct AxisRange {
  AxisScale scale = AxisScale::linear;
  double low = 0, high = 1;
  /// 0 at low, 1 at high; outside for values beyond the range.
  double fraction(double value) const;
  /// The value at a fraction.
  double value(double fraction) const;
};

struct Tick {
  double value;
  std::string label;
};

/// 10 → "2¹⁰"
std::string power_of_two_text(int exponent);
/// A size in its usual notation: 131072 → "2¹⁷", 98432 → "98,432"; powers below 1,024 stay digits.
std::string size_text(int64_t size);
/// 4157.3 with step 1000 → "4,157"; 0.25 with step 0.05 → "0.25": as many decimals as the step needs.
std::string number_text(double value, double step);

/// Round ticks (1, 2 or 5 times a power of ten) inside the range, at most `most` of them (at least two are tried).
/// On a log2 axis: powers of two, every 1st, 2nd, 4th … counted from the lowest.
std::vector<Tick> ticks_of(const AxisRange& range, int most);

/// The ticks of an axis that is `length` pixels long, with at least `gap` pixels between labels. `extent` returns a
/// label's size along the axis.
std::vector<Tick> fitting_ticks(const AxisRange& range, double length, double gap,
                                const std::function<double(std::string_view)>& extent);

/// The next higher round value, for the end of an axis: 4391 → 5000.
double tidy_limit(double value);

}  // namespace tilescope::plots
