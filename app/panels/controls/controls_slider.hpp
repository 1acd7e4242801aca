// One slider of the controls column.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/panels/controls/controls_parts.hpp"

namespace tilescope {

struct Slider {
  std::string name;  // the size's or parameter's
  std::string title, help;
  std::string typing_help;     // what may be typed; empty: typing is not possible
  std::vector<int64_t> stops;  // ascending; values reachable by dragging
  int64_t low = 0, high = 0;   // range of typed values
  bool only_stops = false;     // values between the stops are not allowed
  int64_t value = 0;
  bool ticks = false;              // the stops are few enough to be distinguished
  std::string unused;              // why it has no effect; empty if it has one
  std::vector<std::string> names;  // names of the values 0, 1, …; empty: the values are numbers

  std::string value_text() const {
    const auto place = static_cast<size_t>(value);
    return place < names.size() ? names[place] : with_separators(value);
  }
  std::span<const int64_t> typed_values() const {
    return only_stops ? std::span<const int64_t>(stops) : std::span<const int64_t>();
  }
};

/// Replaces the value by a text field from the next frame on.
void begin_typing(ViewState& view, const Slider& slider);
/// The text field that replaces the value during typing. Returns the value once it is accepted.
std::optional<int64_t> typing_field(Column& column, const Slider& slider);

}  // namespace tilescope
