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
  std::string name;  // of the size or parameter
  std::string title, help;
  std::string typing_help;     // what may be typed; empty: nothing may
  std::vector<int64_t> stops;  // ascending; what dragging can reach
  int64_t low = 0, high = 0;   // what may be typed
  bool only_stops = false;     // nothing between the stops is a value
  int64_t value = 0;
  bool ticks = false;              // few enough to be told apart
  std::string unused;              // why it has no effect; empty if it has
  std::vector<std::string> names;  // of the values 0, 1, …; empty: they are numbers

  std::string value_text() const {
    const auto place = static_cast<size_t>(value);
    return place < names.size() ? names[place] : with_separators(value);
  }
  std::span<const int64_t> typed_values() const {
    return only_stops ? std::span<const int64_t>(stops) : std::span<const int64_t>();
  }
};

/// From the next frame on the value is typed.
void begin_typing(ViewState& view, const Slider& slider);
/// The field in place of the value, while it is typed. Returns the value once it is taken.
std::optional<int64_t> typing_field(Column& column, const Slider& slider);

}  // namespace tilescope
